import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSearchDocument } from '../../src/search/document.ts';
import { parseQuery } from '../../src/search/query.ts';
import { type Candidate, mergePhrasings, rank, SCORE_MIN } from '../../src/search/rank.ts';
import { resolve } from '../../src/search/resolve.ts';
import type { Relevance } from '../../src/search/score.ts';
import { contentOf } from '../store/builders.ts';
import { vocabularyOfDocuments } from './vocabulary.ts';

function candidate(slug: string, title: string, parts: Partial<Candidate> = {}): Candidate {
  const content = contentOf({ slug, title, triggers: null, description: '', tags: [], steps: 0 });
  const quality = { runs: 0, successes: 0, bonus: 0 };
  return { chainId: `id-${slug}`, slug, document: toSearchDocument(content), quality, ...parts };
}

function ranked(query: string, candidates: Candidate[], limit = 10): [string, number][] {
  const vocabulary = vocabularyOfDocuments(candidates.map(({ document }) => document));
  const phrasings = parseQuery(query).map((phrasing) => resolve(phrasing, vocabulary));
  return rank(phrasings, candidates, limit).map(({ candidate: { slug }, score }) => [slug, score]);
}

describe('rank', () => {
  it('orders by score and cuts off what is far from the best', () => {
    const candidates = [
      candidate('far', 'One word release in a title of very many other things'),
      candidate('best', 'Release a package'),
      candidate('good', 'Release of a big package today'),
      candidate('none', 'Feed the cat'),
    ];
    expect(ranked('release a package', candidates).map(([slug]) => slug)).toEqual(['best', 'good', 'far']);
    expect(ranked('release a package', candidates, 1)).toEqual([['best', 1]]);
    const long = 'release kiwi mango papaya guava lychee durian';
    expect(ranked(long, candidates)).toEqual([]);
  });

  it('orders equals by quality, then slug, then chain id, whatever order they come in', () => {
    const good = { quality: { runs: 9, successes: 9, bonus: 0 } };
    const same = [
      candidate('b', 'Feed the cat'),
      candidate('a', 'Feed the cat', { chainId: '2' }),
      candidate('a', 'Feed the cat', { chainId: '1' }),
      candidate('c', 'Feed the cat', good),
    ];
    const expected = [
      ['c', 1],
      ['a', 1],
      ['a', 1],
      ['b', 1],
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(same, { minLength: 4 }), (shuffled) => {
        expect(ranked('feed the cat', shuffled)).toEqual(expected);
      }),
    );
  });

  it('lifts words by quality, but never over an exact match', () => {
    const best = { quality: { runs: 500, successes: 500, bonus: 0 } };
    const plain = candidate('one', 'Feed the cat and the dog');
    const lifted = candidate('two', 'Feed the cat and the bird', best);
    expect(ranked('feed cat', [plain, lifted]).map(([slug]) => slug)).toEqual(['two', 'one']);
    const exact = candidate('x', 'Cat feed');
    expect(ranked('cat feed | feed cat now', [exact, lifted])[0]).toEqual(['x', 1]);
  });

  it('shows nothing that scores below the least', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 5 }), fc.array(fc.lorem({ maxCount: 3 })), (query, titles) => {
        const found = ranked(
          query,
          titles.map((title, at) => candidate(`s${at}`, title)),
        );
        for (const [, score] of found) expect(score).toBeGreaterThanOrEqual(SCORE_MIN);
      }),
    );
  });
});

describe('mergePhrasings', () => {
  const relevance = fc.oneof(
    fc.double({ min: 0, max: 0.9, noNaN: true }).map((score): Relevance => ({ score, match: 'lexical' })),
    fc.constantFrom<Relevance>({ score: 1, match: 'exact' }, { score: 0.98, match: 'exact' }),
  );

  it('is nothing without phrasings, and the one with one', () => {
    expect(mergePhrasings([])).toEqual({ score: 0, match: 'lexical' });
    fc.assert(
      fc.property(relevance, (one) => {
        expect(mergePhrasings([one])).toEqual(one);
      }),
    );
  });

  it('is at least the best, below exact unless the best is exact, the same in any order', () => {
    fc.assert(
      fc.property(fc.array(relevance, { minLength: 1 }), (found) => {
        const merged = mergePhrasings(found);
        const best = Math.max(...found.map(({ score }) => score));
        expect(merged.score).toBeGreaterThanOrEqual(best);
        expect(merged.match).toBe(found.some(({ match }) => match === 'exact') ? 'exact' : 'lexical');
        if (merged.match === 'exact') expect(merged.score).toBe(best);
        else expect(merged.score).toBeLessThanOrEqual(0.9);
        expect(mergePhrasings(found.toReversed()).score).toBeCloseTo(merged.score, 10);
      }),
    );
  });
});
