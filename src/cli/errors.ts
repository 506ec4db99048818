import { type ErrorCode, KairosError } from '../base/errors.ts';
import { escapeForTerminal } from '../base/escape.ts';
import { EXIT } from './io.ts';
import { type Output, terminalJson } from './output.ts';

/** What `--json` prints on standard error, in one line under `error`; absent parts are null. */
interface ErrorObject {
  code: ErrorCode;
  message: string;
  hint: string | null;
  url: string | null;
}

/** Errors in the command itself, found before anything ran. All others are failed operations. */
const INPUT_CODES: ReadonlySet<ErrorCode> = new Set([
  'USAGE',
  'INVALID_INPUT',
  'FILE_UNREADABLE',
  'FILE_UNWRITABLE',
]);

/** Prints an error on standard error and returns its exit code. Arguments and texts in it may contain a secret: it is redacted. */
export async function reportError(error: unknown, output: Output, debug: boolean): Promise<number> {
  const known = error instanceof KairosError ? error : unexpected(error);
  const { makeRedactor } = await import('../host/secrets/redact.ts');
  const { redact } = makeRedactor(output.env);
  const shown = errorObject(known, redact);
  if (output.json) output.note(terminalJson({ error: shown }));
  else output.note(errorLines(shown, output));
  if (debug && error instanceof Error)
    output.note(escapeForTerminal(redact(stackOf(error)), { keepNewlines: true }));
  return exitCodeOf(known);
}

/** 2 for an error in the command itself, 1 for a failed operation. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof KairosError)) return EXIT.failed;
  return error.isUsage || INPUT_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
}

function errorObject(
  { code, message, hint, url }: KairosError,
  redact: (text: string) => string,
): ErrorObject {
  const shown = (text: string | undefined) => (text === undefined ? null : redact(text));
  return { code, message: redact(message), hint: shown(hint), url: shown(url) };
}

function errorLines(error: ErrorObject, { noteColor }: Output): string {
  const shown = (text: string) => escapeForTerminal(text, { keepNewlines: true });
  const lines = [`${noteColor.red.bold('error:')} ${shown(error.message)}`];
  if (error.hint !== null) lines.push(`${noteColor.cyan('hint:')} ${shown(error.hint)}`);
  if (error.url !== null) lines.push(`${noteColor.cyan('see:')} ${shown(error.url)}`);
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
