import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countGraphemes } from '../../src/proof/comment.ts';

describe('countGraphemes', () => {
  it.each<[string, number]>([
    ['', 0],
    ['plain words', 11],
    ['a   b', 3],
    ['a \t\n b', 3],
    ['e\u0301', 1],
    ['ab\u0301c', 3],
    ['x\u200b\u200b\u200by', 2],
    ['a \u0301b', 3],
    ['👩‍👩‍👧 and 🇩🇪', 7],
  ])('%j has %i', (text, count) => {
    expect(countGraphemes(text, 100)).toBe(count);
  });

  it('counts no further than asked', () => {
    expect(countGraphemes('plain words', 3)).toBe(3);
    expect(countGraphemes('\u00e4'.repeat(10), 3)).toBe(3);
  });

  it('counts as if every text went through the segmenter', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '~',
      '\u0301',
      '\u200b',
      '\n',
      'ä',
      '👩',
      '\u200d',
      '\r',
      '\u00a0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (pieces, limit) => {
        const text = pieces.join('');
        expect(countGraphemes(text, limit)).toBe(Math.min(limit, plainCount(text)));
      }),
      { numRuns: 500 },
    );
  });
});

function plainCount(text: string): number {
  const shown = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)]
    .map(({ segment }) => segment)
    .filter(
      (segment) =>
        /^\s+$/u.test(segment) || !/^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]+$/u.test(segment),
    );
  return shown.filter((segment, at) => !(/^\s+$/u.test(segment) && /^\s+$/u.test(shown[at - 1] ?? 'x')))
    .length;
}
