import type { Command } from 'commander';
import { KairosError } from '../base/errors.ts';

/** Arguments whose text may be empty, or whose command says itself what is wrong with that. */
const TEXTS = new Set(['words', 'message', 'query', 'value', 'options']);
const TAKES_PATH = /<(?:file|dir|path)\b|^--stdin-filename /;

/**
 * Refuses an empty text where a path or a name is due: a shell makes one of a variable that is not set, and it would stand for
 * the working directory. Throws USAGE.
 */
export function refuseEmptyPaths(command: Command): void {
  for (const [at, argument] of command.registeredArguments.entries()) {
    if (TEXTS.has(argument.name()) || !isEmpty(command.processedArgs[at])) continue;
    throw empty(`the ${argument.name()} is empty`);
  }
  for (const option of command.options) {
    if (TAKES_PATH.test(option.flags) && isEmpty(command.getOptionValue(option.attributeName()))) {
      throw empty(`the value of ${option.long} is empty`);
    }
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.includes('') : value === '';
}

function empty(message: string): KairosError {
  return new KairosError('USAGE', message, {
    hint: 'Is a variable not set? This folder is written as a dot.',
  });
}
