import { readFile } from 'node:fs/promises';
import { KairosError } from '../../base/errors.ts';
import { type GivenAnswers, unusableAnswers } from './given-answers.ts';

/** Bytes; the same limit as for protocols. */
const MAX_SIZE = 1024 * 1024;

/**
 * Reads `--answers FILE`: YAML 1.2 or JSON, `answers: {<step number, label, slug of a label, or question id>:
 * <text>}`, or `{<question name>: <text>}` instead of the text. A proposal may also be a mapping. Scalars are
 * kept as written (`1.10` stays `1.10`), without the line break at the end of a block. Aliases, anchors and
 * tags are rejected. Throws FILE_UNREADABLE or INVALID_INPUT.
 */
export async function readAnswersFile(path: string): Promise<GivenAnswers> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new KairosError(
      'FILE_UNREADABLE',
      `Cannot read the answers file ${path}: ${(cause as Error).message}`,
      {
        hint: 'Name a readable YAML or JSON file.',
        cause,
      },
    );
  }
  if (bytes.length > MAX_SIZE) throw unusableAnswers(path, 'it is larger than 1 MiB');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unusableAnswers(path, 'it is not UTF-8');
  }
  const { parseAnswers } = await import('./parse-answers.ts');
  return parseAnswers(text, path);
}
