import { KairosError } from '../base/errors.ts';
import { readSource } from '../host/files/read-source.ts';
import type { CliIo } from './io.ts';
import { refuseBlank } from './views/next-command.ts';

/** Bytes of JSON that a solution may have: output of commands and results of tools may be long. */
const MAX_SOLUTION_BYTES = 16 * 1024 * 1024;

/** `--solution`: JSON text, `@FILE`, or `-` for standard input; undefined when it was not given. */
export async function readSolutionOption(text: string | undefined, io: CliIo): Promise<unknown> {
  if (text === undefined) return undefined;
  const limits = { maxBytes: MAX_SOLUTION_BYTES };
  if (text === '-') return parse(await readSource('-', io, limits), 'standard input');
  if (text.startsWith('@')) {
    const path = text.slice(1);
    return parse(await readSource(path, io, limits), path);
  }
  return parse(text, '--solution');
}

function parse(json: string, where: string): unknown {
  const value = parseJson(json, where);
  const { user_input, comment } = (value ?? {}) as Record<string, { confirmation?: unknown; text?: unknown }>;
  refuseBlank(user_input?.confirmation);
  refuseBlank(comment?.text);
  return value;
}

function parseJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new KairosError(
      'INVALID_INPUT',
      `the solution in ${where} is no JSON: ${(cause as Error).message}`,
      {
        hint: 'Fill in everything that stands in angle brackets, and keep the quotes around the whole.',
        cause,
      },
    );
  }
}
