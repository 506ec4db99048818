import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineReader } from '../../../src/mcp/server/stdio.ts';

function read(pieces: Buffer[], most: number): (string | null)[] {
  const seen: (string | null)[] = [];
  const reader = lineReader(most, {
    onLine: (line) => seen.push(line.toString()),
    onTooLong: () => seen.push(null),
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return seen;
}

describe('lineReader', () => {
  it('returns lines without their ends, and the rest after the last one', () => {
    expect(read([Buffer.from('a\n\nbc'), Buffer.from('d\ne')], 10)).toEqual(['a', '', 'bcd', 'e']);
    expect(read([], 10)).toEqual([]);
  });

  it('reports a line that is too long once, and continues after it', () => {
    expect(read([Buffer.from('abc'), Buffer.from('def'), Buffer.from('g\nab\nabcd')], 3)).toEqual([
      null,
      'ab',
      null,
    ]);
  });

  it('gives the same however the bytes were cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ä', '\n', '👩'), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(160)), fc.integer({ min: 1, max: 12 }), (whole, cuts, most) => {
        const bytes = Buffer.from(whole);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        const lines = whole.split('\n');
        if (lines.at(-1) === '') lines.pop();
        expect(read(pieces, most)).toEqual(
          lines.map((line) => (Buffer.byteLength(line) > most ? null : line)),
        );
      }),
    );
  });
});
