import { type ErrorCode, KairosError } from '../base/errors.ts';
import { escapeForTerminal } from '../base/escape.ts';
import { EXIT } from './io.ts';
import { type Output, terminalJson } from './output.ts';

/** What `--json` prints on standard error, in one line; absent parts are null. */
interface ErrorObject {
  error: { code: ErrorCode; message: string; hint: string | null; url: string | null };
}

/** Errors in the command itself, found before anything ran. All others are failed operations. */
const INPUT_CODES: ReadonlySet<ErrorCode> = new Set([
  'USAGE',
  'INVALID_INPUT',
  'FILE_UNREADABLE',
  'FILE_UNWRITABLE',
]);

/** Prints an error on standard error and returns its exit code. */
export function reportError(error: unknown, output: Output, debug: boolean): number {
  const known = error instanceof KairosError ? error : unexpected(error);
  if (output.json) output.note(terminalJson(errorObject(known)));
  else output.note(errorLines(known, output));
  if (debug && error instanceof Error) output.note(escapeForTerminal(stackOf(error), { keepNewlines: true }));
  return exitCodeOf(known);
}

/** 2 for an error in the command itself, 1 for a failed operation. */
export function exitCodeOf(error: unknown): number {
  return error instanceof KairosError && INPUT_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
}

function errorObject({ code, message, hint, url }: KairosError): ErrorObject {
  return { error: { code, message, hint: hint ?? null, url: url ?? null } };
}

function errorLines(error: KairosError, { noteColor }: Output): string {
  const shown = (text: string) => escapeForTerminal(text, { keepNewlines: true });
  const lines = [`${noteColor.red.bold('error:')} ${shown(error.message)}`];
  if (error.hint !== undefined) lines.push(`${noteColor.cyan('hint:')} ${shown(error.hint)}`);
  if (error.url !== undefined) lines.push(`${noteColor.cyan('see:')} ${shown(error.url)}`);
  return lines.join('\n');
}

/** A bug of kairos: printed in one line, with its stack only on request. */
function unexpected(error: unknown): KairosError {
  const reason = error instanceof Error ? error.message : String(error);
  return new KairosError('INTERNAL', `something went wrong that should not: ${reason}`, {
    hint: 'Run it again with --debug to see where, and report it.',
    cause: error,
  });
}

/** With the stacks of what caused it. */
function stackOf(error: Error): string {
  const own = error.stack ?? String(error);
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}
