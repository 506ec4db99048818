import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allCounts, SEARCH_FORMAT, toSearchDocument } from '../../../src/search/document.ts';
import {
  phraseHash,
  searchPayload,
  searchVectors,
  stemIndex,
} from '../../../src/store/qdrant/chain-point.ts';
import { contentOf } from '../builders.ts';

const FERNS = toSearchDocument(
  contentOf({
    title: 'Water ferns',
    slug: 'water-ferns',
    tags: [],
    description: 'Ferns.',
    triggers: null,
    steps: 0,
  }),
);

describe('searchPayload', () => {
  it('names the stems, those of name and summary apart, and the phrases', () => {
    expect(searchPayload(FERNS)).toEqual({
      search_format: SEARCH_FORMAT,
      stems: ['water', 'fern'],
      head_stems: ['water', 'fern'],
      phrases: ['water ferns', 'waterferns'].map(phraseHash),
    });
  });
});

describe('searchVectors', () => {
  it('weighs each stem as BM25F does, worked out by hand', () => {
    // Both stand twice in title and slug, weight 8: 16 / (2 + 16); ferns once more in the summary, weight 3: 19 / 21.
    expect(FERNS.names).toEqual(['water ferns']);
    const { bm25 } = searchVectors(FERNS);
    const tf = (name: number, summary: number) => 8 * name + 3 * summary;
    const saturated = (value: number) => expect.closeTo(value / (2 + value), 9);
    expect(bm25).toEqual({
      indices: [stemIndex('water'), stemIndex('fern')],
      values: [saturated(tf(1, 0)), saturated(tf(1, 1))],
    });
  });

  it('is left out where there is no word, and otherwise never names a place twice', () => {
    const text = fc.stringMatching(/^[a-z ]{0,60}$/);
    fc.assert(
      fc.property(text, text, (title, description) => {
        const document = toSearchDocument(
          contentOf({ title, slug: '', tags: [], description, triggers: null, steps: 0 }),
        );
        const { bm25 } = searchVectors(document);
        expect(bm25 === undefined).toBe(allCounts(document).length === 0);
        expect(new Set(bm25?.indices).size).toBe(bm25?.indices.length ?? 0);
        for (const value of bm25?.values ?? []) expect(value > 0 && value < 1).toBe(true);
        for (const index of bm25?.indices ?? []) expect(index >= 0 && index < 2 ** 32).toBe(true);
      }),
    );
  });
});
