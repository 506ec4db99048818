import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClearMatch } from '../../src/search/classify.ts';
import { toSearchDocument } from '../../src/search/document.ts';
import { LEXICAL_MAX, rank, SCORE_MIN, type SearchCandidate } from '../../src/search/rank.ts';
import { resolve } from '../../src/search/resolve.ts';
import { parseQuery } from '../../src/search/words.ts';
import { contentOf } from '../store/builders.ts';
import { vocabularyOfDocuments } from './vocabulary.ts';

function candidate(slug: string, title: string, parts: Partial<SearchCandidate> = {}): SearchCandidate {
  const content = contentOf({ slug, title, triggers: null, description: '', tags: [], steps: 0 });
  const quality = { runs: 0, successes: 0, bonus: 0 };
  return { chainId: `id-${slug}`, slug, document: toSearchDocument(content), quality, ...parts };
}

const SCALE = { floor: 0.2, ceiling: 0.7 };
const near = (best: number) => [{ best, part: 0, whole: best, passage: 0 }];

function hits(query: string, candidates: SearchCandidate[], limit = 10) {
  const vocabulary = vocabularyOfDocuments(candidates.map(({ document }) => document));
  const phrasings = parseQuery(query).map((phrasing) => resolve(phrasing, vocabulary));
  return rank(phrasings, candidates, limit, SCALE);
}

const ranked = (query: string, candidates: SearchCandidate[], limit?: number): [string, number][] =>
  hits(query, candidates, limit).map(({ candidate: { slug }, score }) => [slug, score]);

describe('rank', () => {
  it('orders by the strength of the words, and keeps the limit', () => {
    const candidates = [
      candidate('far', 'One word release in a title of very many other things'),
      candidate('best', 'Release a package'),
      candidate('good', 'Release of a big package today'),
      candidate('none', 'Feed the cat'),
    ];
    expect(ranked('release a package', candidates).map(([slug]) => slug)).toEqual(['best', 'good', 'far']);
    expect(ranked('release a package', candidates, 1)).toEqual([['best', 1]]);
  });

  it('orders equals by quality, then slug, then chain id, for any input order', () => {
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

  it('gives scores that never grow down the list, exact ones above all others', () => {
    const word = fc.constantFrom('feed', 'cat', 'dog', 'release', 'package', 'the');
    const title = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(
        title,
        fc.array(fc.tuple(title, fc.double({ min: 0, max: 1, noNaN: true }))),
        (query, list) => {
          const found = hits(
            query,
            list.map(([text, cosine], at) => candidate(`s${at}`, text, { cosines: near(cosine) })),
          );
          const scores = found.map(({ score }) => score);
          expect(scores).toEqual(scores.toSorted((left, right) => right - left));
          for (const { score, match } of found) {
            expect(score).toBeGreaterThanOrEqual(SCORE_MIN);
            expect(score).toBeLessThanOrEqual(match === 'exact' ? 1 : LEXICAL_MAX);
          }
        },
      ),
    );
  });

  it('adds up phrasings: a chain that answers both goes before one that answers one', () => {
    const both = candidate('both', 'Feed and groom a cat');
    const one = candidate('one', 'Groom a horse');
    expect(ranked('groom an animal | feed an animal', [one, both]).map(([slug]) => slug)).toEqual([
      'both',
      'one',
    ]);
  });
});

describe('a request that grows', () => {
  const TITLES = ['Renew TLS certificates', 'Feed the cat', 'Issue a refund', 'Restart the mail server'];
  const others = [...TITLES.slice(1), 'Pick a certificate authority', 'Mail a letter to the customer'];
  const filler = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...'before friday please because our load balancer customer mail asked again nobody'.split(' '),
      ),
      fc.string().map((text) => text.replaceAll('|', '/')),
    ),
    { maxLength: 40 },
  );
  const much = fc
    .tuple(filler, fc.integer({ min: 1, max: 12 }))
    .map(([words, times]) => Array(times).fill(words).flat());
  const all = [TITLES[0] ?? '', ...others].map((title, at) => candidate(`c${at}`, title));

  it('never loses a match by words, and never finds it a worse one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TITLES), much, much, (request, before, after) => {
        // "please": a request that is exactly a title has more than any that contains it.
        const short = ranked(`please ${request}`, all, 100);
        const grown = new Map(ranked([...before, request, ...after].join(' '), all, 100));
        for (const [slug, score] of short) expect(grown.get(slug) ?? 0).toBeGreaterThanOrEqual(score);
      }),
    );
  });

  it('never loses one by another phrasing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TITLES), fc.array(filler, { maxLength: 20 }), (request, others) => {
        const phrasings = [`please ${request}`, 'mail a customer'];
        const short = ranked(phrasings.join(' | '), all, 100);
        const more = others.map((words) => words.join(' '));
        const grown = new Map(ranked([...more, ...phrasings].join(' | '), all, 100));
        for (const [slug, score] of short) expect(grown.get(slug) ?? 0).toBeGreaterThanOrEqual(score);
      }),
    );
  });

  it('finds a title that it contains first, and that stands clear as the title alone does', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TITLES), much, much, (title, before, after) => {
        const found = hits([...before, title, ...after].join(' '), all);
        expect(found[0]?.candidate.document.names).toContain(title.toLowerCase());
        expect(isClearMatch(found.map((hit) => ({ ...hit, chain: null })))).toBe(true);
      }),
    );
  });
});

describe('meaning', () => {
  const cat = candidate('cat', 'Feed the cat', { cosines: near(0.6) });
  const tax = candidate('tax', 'File the taxes', { cosines: near(0.3) });

  it('finds what no word finds, nearest first, and nothing at the floor', () => {
    expect(hits('pet supper', [tax, cat]).map(({ candidate: { slug }, match }) => [slug, match])).toEqual([
      ['cat', 'semantic'],
      ['tax', 'semantic'],
    ]);
    expect(ranked('pet supper', [{ ...cat, cosines: near(0.2) }])).toEqual([]);
    expect(ranked('how to', [cat])).toEqual([]);
  });

  it('alone never makes a match stand clear', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (cosine) => {
        const found = hits('pet supper', [{ ...cat, cosines: near(cosine) }, tax]);
        expect(found.every(({ matchLead: { lead } }) => lead === null)).toBe(true);
      }),
    );
  });

  it('never makes one shared word stand clear', () => {
    const request = 'cat pictures for the wall';
    const found = hits(request, [{ ...cat, cosines: near(0.9) }, tax]);
    expect(found[0]).toMatchObject({ candidate: { slug: 'cat' }, matchLead: { lead: null } });
  });
});
