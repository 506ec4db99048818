import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOutput, startCapture } from '../../../src/host/commands/watched.ts';
import { makeRedactor } from '../../../src/host/secrets/redact.ts';
import { runs } from '../../support/thorough.ts';

const KEEP = 64 * 1024;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function capture(pieces: string[]) {
  const started = startCapture();
  for (const piece of pieces) started.add(piece);
  return started.result();
}

describe('startCapture', () => {
  it('keeps nothing of an empty stream', () => {
    expect(capture([])).toEqual({ text: '', bytes: 0, sha256: sha256(''), truncated: false });
  });

  it('keeps every byte of a stream that fits', () => {
    const text = 'x'.repeat(2 * KEEP);
    expect(capture([text])).toEqual({ text, bytes: 2 * KEEP, sha256: sha256(text), truncated: false });
  });

  it('leaves out the middle of a stream that does not fit', () => {
    const text = `${'a'.repeat(KEEP)}${'b'.repeat(10)}${'c'.repeat(KEEP)}`;
    expect(capture([text])).toEqual({
      text: `${'a'.repeat(KEEP)}\n[... 10 bytes left out ...]\n${'c'.repeat(KEEP)}`,
      bytes: 2 * KEEP + 10,
      sha256: sha256(text),
      truncated: true,
    });
  });

  it('cuts between characters, with the same result for every chunking', () => {
    const unit = fc.constantFrom('a', 'ä', '語', '😀', '\ufffd');
    const pieces = fc.array(
      fc.tuple(fc.string({ unit, maxLength: 5 }), fc.nat(9_000)).map(([text, times]) => text.repeat(times)),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const whole = parts.join('');
        const bytes = Buffer.byteLength(whole);
        const kept = capture(parts);
        expect(kept).toEqual(capture([whole]));
        expect(kept).toMatchObject({ bytes, sha256: sha256(whole), truncated: bytes > 2 * KEEP });
        if (!kept.truncated) expect(kept.text).toBe(whole);
        else {
          const [head = '', left = '', tail = ''] = kept.text.split(
            /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/,
          );
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
          expect(Buffer.byteLength(head) + Number(left) + Buffer.byteLength(tail)).toBe(bytes);
          for (const end of [head, tail]) {
            expect(Buffer.byteLength(end)).toBeLessThanOrEqual(KEEP);
            expect(Buffer.byteLength(end)).toBeGreaterThan(KEEP - 4);
          }
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('readOutput', () => {
  async function read(pieces: string[], keepsWhole: boolean) {
    let shown = '';
    const stream = Readable.from(pieces.map((piece) => Buffer.from(piece)));
    const reader = readOutput(
      stream,
      makeRedactor({ A_KEY: 'hunter2' }),
      (text) => (shown += text),
      keepsWhole,
    );
    await finished(stream);
    return { ...reader.result(), shown };
  }

  it('keeps the whole stream in addition to the redacted one, if asked for', async () => {
    const pieces = ['a hun', 'ter2 ', 'b\x7f', 'x'.repeat(3 * KEEP)];
    const result = await read(pieces, true);
    expect(result.whole).toBe(`a hunter2 b\ufffd${'x'.repeat(3 * KEEP)}`);
    expect(result.shown).toBe(makeRedactor({ A_KEY: 'hunter2' }).redact(result.whole!));
    expect(await read(pieces, false)).not.toHaveProperty('whole');
  });

  it('keeps no stream of more than 8 MiB', async () => {
    const half = 'x'.repeat(4 << 20);
    expect((await read([half, half], true)).whole).toHaveLength(8 << 20);
    expect(await read([half, half, 'x'], true)).not.toHaveProperty('whole');
  });
});
