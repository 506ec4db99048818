import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentsOf } from '../../src/base/escape.ts';
import { runs } from '../support/thorough.ts';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const wordwise = new Intl.Segmenter('en', { granularity: 'word' });
const texts = (segmenter: Intl.Segmenter, text: string) =>
  [...segmentsOf(segmenter, text)].map(({ segment }) => segment);

/** Clusters that rules with a long memory make: flags, families, conjuncts, marks upon marks, jamo, CR LF. */
const cluster = fc.constantFrom(
  'a',
  '🇩🇪',
  '👨‍👩‍👧‍👦',
  'क्षि',
  `e${'\u0301'.repeat(5)}`,
  '한',
  '\r\n',
  '👍🏽',
  '\ud800',
  '𝒳',
  ' ',
);

describe('segmentsOf', () => {
  it('gives the clusters that the segmenter gives, wherever its slices end', () => {
    const long = fc.record({
      lead: fc.integer({ min: 0, max: 12 }),
      unit: fc.array(cluster, { minLength: 1, maxLength: 12 }),
    });
    fc.assert(
      fc.property(long, ({ lead, unit }) => {
        const text = 'x'.repeat(lead) + unit.join('').repeat(Math.ceil(2600 / unit.join('').length));
        expect(texts(graphemes, text)).toEqual([...graphemes.segment(text)].map(({ segment }) => segment));
      }),
      { numRuns: runs(100) },
    );
  });

  it('keeps a cluster whole that is longer than any slice', () => {
    const giant = `e${'\u0301'.repeat(10_000)}`;
    expect(texts(graphemes, `${giant}b`)).toEqual([giant, 'b']);
  });

  it('returns the words of a text, separate from the text between them', () => {
    const text = 'one two, '.repeat(500);
    const found = [...segmentsOf(wordwise, text)];
    expect(found.map(({ segment }) => segment).join('')).toBe(text);
    expect(found.filter(({ isWordLike }) => isWordLike)).toHaveLength(1000);
  });

  it('comes to an end with much text without a boundary', () => {
    const length = runs(2 ** 18);
    expect(texts(graphemes, 'x'.repeat(length)).length).toBe(length);
    expect(texts(wordwise, '漢字仮名'.repeat(runs(20_000))).join('').length).toBe(4 * runs(20_000));
  });

  it('gives nothing for nothing', () => {
    expect(texts(graphemes, '')).toEqual([]);
  });
});
