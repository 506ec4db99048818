import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineIndex, placeBetween, pointAt } from '../../src/protocol/position.ts';

const text = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', '\r', '😀', '\u2028', '\ufeff'),
  maxLength: 30,
});

describe('lineIndex', () => {
  it.each([
    ['', [0], [0]],
    ['a', [0], [1]],
    ['a\n', [0, 2], [1, 2]],
    ['a\nb\r\nc\rd', [0, 2, 5, 7], [1, 3, 6, 8]],
    ['\r\n\r\r\n', [0, 2, 3, 5], [0, 2, 3, 5]],
    ['\ufeffa\n', [1, 3], [2, 3]],
    ['a\u2028b', [0], [3]],
  ])('%j', (source, starts, ends) => {
    expect(lineIndex(source)).toEqual({ starts, ends });
  });

  it('cuts the text where CommonMark ends a line', () => {
    fc.assert(
      fc.property(text, (source) => {
        const { starts, ends } = lineIndex(source);
        const cut = starts.map((start, at) => source.slice(start, ends[at]));
        expect(cut).toEqual(source.replace(/^\ufeff/, '').split(/\r\n|\n|\r/));
      }),
    );
  });
});

describe('pointAt', () => {
  it('counts UTF-16 code units from 1', () => {
    expect(placeBetween(lineIndex('\ufeffa\n😀b'), 3, 6)).toEqual({
      start: { line: 2, column: 1, offset: 3 },
      end: { line: 2, column: 4, offset: 6 },
    });
  });

  it('finds every offset in its line', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (source, seed) => {
        const lines = lineIndex(source);
        const first = lines.starts[0]!;
        const offset = first + (seed % (source.length - first + 1));
        const { line, column } = pointAt(lines, offset);
        expect(lines.starts[line - 1]! + column - 1).toBe(offset);
        expect(lines.starts[line] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(offset);
      }),
    );
  });
});
