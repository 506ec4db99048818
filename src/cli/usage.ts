import { type Command, CommanderError } from 'commander';
import { KairosError } from '../base/errors.ts';

/** Help or version was asked for and has been shown. */
export function isShown(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

/** A complaint of the argument parser as a USAGE error: what is wrong, what was meant, how the command is called. */
export function usageError(error: CommanderError, command: Command): KairosError {
  const [message, guess] = split(error.message);
  const usage = `${fullName(command)} ${command.usage()}`.trim();
  if (error.code === 'commander.help') {
    return new KairosError('USAGE', `${fullName(command)} needs a command`, {
      hint: `See what there is with: ${fullName(command)} --help`,
    });
  }
  return new KairosError('USAGE', message, {
    hint: `${guess === null ? '' : `${guess} `}Usage: ${usage}\nMore: ${fullName(command)} --help`,
    cause: error,
  });
}

/** `kairos runs show`. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

const FORM = /^(?:error: )?([\s\S]*?)(?:\n\(([^\n]*)\))?$/;

/** The parser writes `error: unknown option '--forse'`, and in a second line its guess in brackets. */
function split(text: string): [message: string, guess: string | null] {
  const [, message = text, guess = null] = FORM.exec(text) ?? [];
  return [message, guess];
}
