import type { Command } from 'commander';
import { escapeForTerminal } from '../../../base/escape.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { complete } from './complete.ts';
import { SCRIPTS } from './scripts.ts';
import { storeNames } from './store-names.ts';

/** `kairos completion SHELL`: the shell's script, which calls `kairos completion complete`. */
export const completionCommand: Handler<[string], unknown> = async ({ args: [shell], output }) => {
  output.document(SCRIPTS[shell]!);
  return EXIT.ok;
};

/** `kairos completion complete -- WORDS`: one `value<TAB>description` a line, then whether files may be offered too. */
export function completeCommand(program: Command): Handler<[string[]], unknown> {
  return async (call) => {
    const { items, files } = await complete(program, call.args[0], storeNames(call));
    const lines = items.map(({ value, description }) => `${value}\t${escapeForTerminal(description)}`);
    call.output.document(`${[...lines, files ? ':files' : ':nothing'].join('\n')}\n`);
    return EXIT.ok;
  };
}
