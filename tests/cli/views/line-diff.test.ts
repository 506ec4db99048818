import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffLine, diffLines, hunks } from '../../../src/cli/views/diff.ts';

const show = (lines: readonly (DiffLine | null)[]) =>
  lines.map((line) => (line ? line.mark + line.text : '…'));

describe('diffLines', () => {
  it('keeps common lines and marks the others', () => {
    expect(show(diffLines('a\nb\nc\nd', 'a\nc\nx\nd'))).toEqual([' a', '-b', ' c', '+x', ' d']);
  });

  it('reports no change between equal texts', () => {
    expect(show(diffLines('a\nb', 'a\nb'))).toEqual([' a', ' b']);
  });

  it('compares with an empty text', () => {
    expect(show(diffLines('', 'a\nb'))).toEqual(['-', '+a', '+b']);
  });

  it('replaces a text with more changes than it searches for', () => {
    const text = (word: string) => Array.from({ length: 1200 }, (_, at) => `${word} ${at}`).join('\n');
    const diff = diffLines(`top\n${text('old')}\nend`, `top\n${text('new')}\nend`);
    expect(show(diff.slice(0, 2))).toEqual(['-top', '-old 0']);
    expect(diff.filter(({ mark }) => mark === '+')).toHaveLength(1202);
    expect(diff).toHaveLength(2404);
  });

  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 })
    .map((lines) => lines.join('\n'));

  it('contains both texts in full, and no more edits than a table finds', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffLines(before, after);
        const side = (mark: string) => diff.filter((line) => line.mark !== mark).map((line) => line.text);
        expect(side('+').join('\n')).toBe(before);
        expect(side('-').join('\n')).toBe(after);
        const kept = diff.filter(({ mark }) => mark === ' ').length;
        expect(kept).toBe(longestCommon(before.split('\n'), after.split('\n')));
      }),
      { numRuns: 300 },
    );
  });
});

describe('hunks', () => {
  it('leaves out what is far from any change', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng';
    expect(show(hunks(diffLines(before, before.replace('d', 'D')), 1))).toEqual([
      '…',
      ' c',
      '-d',
      '+D',
      ' e',
      '…',
    ]);
  });

  it('is one gap when nothing changed', () => {
    expect(hunks(diffLines('a\nb', 'a\nb'), 3)).toEqual([null]);
  });
});

function longestCommon(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      table[i]![j] =
        a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
    }
  }
  return table[a.length]![b.length]!;
}
