import { KairosError } from '../../base/errors.ts';

/** More than any record has, and as much as a text may hold. */
const MAX_LINE_BYTES = 448 * 1024 * 1024;

/** Cuts a stream at its line feeds. `ended`: a line feed stood behind it. Throws INVALID_INPUT for an endless line. */
export async function* splitBytes(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ line: Uint8Array; ended: boolean }> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      parts.push(chunk.subarray(from, at));
      yield { line: Buffer.concat(parts), ended: true };
      parts = [];
      size = 0;
      from = at + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) {
      throw new KairosError('INVALID_INPUT', 'a line has more than 448 MiB: this is no exported store', {
        hint: 'Name a file that kairos store export has written.',
      });
    }
  }
  if (parts.length > 0) yield { line: Buffer.concat(parts), ended: false };
}

const LF = 0x0a;
