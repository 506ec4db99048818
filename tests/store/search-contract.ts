import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainId, digest } from '../../src/protocol/identity.ts';
import { isClearMatch } from '../../src/search/classify.ts';
import { isUnspaced, words } from '../../src/search/words.ts';
import type { Store } from '../../src/store/port.ts';
import { PROTOCOLS } from '../search/fixtures/protocols.ts';
import { QUERIES } from '../search/fixtures/queries.ts';
import { casesOf, runs } from '../support/thorough.ts';
import { contentOf, revisionOf, SPACE } from './builders.ts';

/** What every store must find. `makeStore` gives an empty one. */
export function searchContract(name: string, makeStore: () => Promise<Store>): void {
  describe(`${name}: search contract`, () => {
    let store: Store;
    beforeAll(async () => {
      store = await makeStore();
      for (const content of PROTOCOLS) await store.putRevision(revisionOf(content), null);
    });
    afterAll(() => store.close());

    const search = (query: string, limit = 10, spaces = [SPACE]) =>
      store.searchChains({ query, limit, spaces });
    const slugs = async (query: string) => (await search(query)).map(({ chain }) => chain.slug);
    const placeOf = async (query: string, slug: string) => (await slugs(query)).indexOf(slug);

    it.each(QUERIES.exact ?? [])('exact: %s', async (query, slug) => {
      const hits = await search(query);
      expect(hits[0]).toMatchObject({ chain: { slug }, match: 'exact' });
      expect(hits[0]?.score).toBeGreaterThanOrEqual(0.98);
      expect(isClearMatch(hits)).toBe(true);
    });

    it.each(QUERIES.lexical ?? [])('lexical: %s', async (query, slug) => {
      expect((await slugs(query))[0]).toBe(slug);
    });

    it.each(QUERIES.typo ?? [])('one slip in a title or slug: %s', async (query, slug) => {
      const [first] = await search(query);
      expect(first).toMatchObject({ chain: { slug }, match: 'lexical' });
      expect(first?.score).toBeLessThan(0.98);
    });

    it('one slip anywhere in a title still finds the chain first, below exact', async () => {
      const slip = fc.record({
        content: fc.constantFrom(
          ...PROTOCOLS.filter(({ title }) => /[\p{L}]{4}/u.test(title) && !isUnspaced(title)),
        ),
        word: fc.nat(),
        at: fc.nat(),
        kind: fc.constantFrom('drop', 'swap', 'double', 'replace'),
      });
      await fc.assert(
        fc.asyncProperty(slip, async ({ content, word, at, kind }) => {
          const query = withSlip(content.title, word, at, kind);
          if (words(query).join() === words(content.title).join()) return;
          const [first] = await search(query);
          expect([query, first?.chain.slug]).toEqual([query, content.slug]);
          expect(first?.score).toBeLessThan(0.98);
        }),
        { numRuns: runs(100) },
      );
    });

    it.each(QUERIES.nonsense ?? [])('nonsense finds nothing: %j', async (query) => {
      expect(await search(query)).toEqual([]);
    });

    it('finds paraphrases among the first five, through the triggers', async () => {
      const places = await Promise.all(
        (QUERIES.paraphrase ?? []).map(([query, slug]) => placeOf(query, slug ?? '')),
      );
      const found = places.filter((place) => place >= 0 && place < 5);
      expect(found.length / places.length).toBeGreaterThanOrEqual(0.9);
    });

    it('gives scores from 0 to 1, best first, the same on every call', async () => {
      for (const [query] of casesOf(Object.values(QUERIES).flat())) {
        const hits = await search(query);
        const scores = hits.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
        expect(await search(query)).toEqual(hits);
      }
    });

    it('gives a summary of each chain, no more than asked for', async () => {
      const content = PROTOCOLS[0];
      if (content === undefined) throw new Error('no fixture');
      expect(await search('database production release', 2)).toHaveLength(2);
      expect((await search(content.title))[0]?.chain).toEqual({
        chainId: chainId(SPACE, content.slug),
        space: SPACE,
        slug: content.slug,
        title: content.title,
        version: null,
        tags: content.tags,
        stepCount: 3,
        digest: digest(content),
        revision: 1,
        updatedAt: revisionOf(content).createdAt,
      });
    });

    it('merges several phrasings, and puts the chain first that answers more of them', async () => {
      const [alone] = await search('undo the last deploy');
      const merged = await search('undo the last deploy | return to the version that worked');
      expect(merged[0]?.chain.slug).toBe('roll-back-a-deployment');
      expect(merged[0]?.score).toBeGreaterThan(alone?.score ?? 1);
      expect((await search('xkcdqz | ship the release'))[0]).toMatchObject({ match: 'exact', score: 0.98 });
      expect(await slugs('tls certificate | kubernetes nodes')).toEqual(
        expect.arrayContaining(['renew-a-tls-certificate', 'scale-a-kubernetes-cluster']),
      );
    });

    it('looks into the asked spaces only, and other spaces change no score', async () => {
      const before = await search('publish a package to npm');
      const copy = contentOf({ slug: 'secret', title: 'Publish a package to npm in secret', triggers: null });
      await store.putRevision(revisionOf(copy, { space: 'vault' }), null);
      expect(await search('publish a package to npm')).toEqual(before);
      expect(
        (await search('publish a package to npm', 10, ['vault'])).map(({ chain }) => chain.space),
      ).toEqual(['vault']);
      expect((await search('publish a package to npm', 10, [SPACE, 'vault'])).length).toBeGreaterThan(
        before.length,
      );
      expect(await search('publish', 10, ['nowhere'])).toEqual([]);
      expect(await search('publish', 10, [])).toEqual([]);
    });

    it('chains that share no word with the query change no score', async () => {
      const queries = ['how do I release a package to npm?', 'relaese package', 'rollback of a deploy'];
      const before = await Promise.all(queries.map((query) => search(query)));
      for (let at = 0; at < 20; at += 1) {
        const title = `Zymurgy vat ${at}`;
        const unrelated = contentOf({ slug: `vat-${at}`, title, triggers: null, description: '', steps: 0 });
        await store.putRevision(revisionOf(unrelated), null);
      }
      expect(await Promise.all(queries.map((query) => search(query)))).toEqual(before);
    });

    it('follows an update and a deletion', async () => {
      const first = contentOf({ slug: 'feed', title: 'Feed the axolotl', triggers: '- snack time' });
      const second = contentOf({ slug: 'feed', title: 'Nourish the salamander', triggers: null });
      await store.putRevision(revisionOf(first), null);
      expect(await slugs('axolotl')).toEqual(['feed']);
      await store.putRevision(revisionOf(second), digest(first));
      expect(await slugs('axolotl')).toEqual([]);
      expect(await slugs('snack time')).toEqual([]);
      expect(await slugs('salamander')).toEqual(['feed']);
      await store.deleteChain(chainId(SPACE, 'feed'));
      expect(await slugs('salamander')).toEqual([]);
    });

    it('lifts by at most 8 percent, from three good runs of the revision on', async () => {
      const query = 'leaked credentials rotation';
      const plain = (await search(query))[0];
      const score = plain?.score ?? 0;
      const { chainId: id, digest: revision } = plain?.chain ?? { chainId: '', digest: '' };
      const rate = (outcome: 'success' | 'failure', of = revision) => store.rate(id, of, outcome, 0);
      await rate('success');
      await rate('success');
      for (let run = 0; run < 5; run += 1) await rate('success', 'another revision');
      expect((await search(query))[0]?.score).toBe(score);
      await rate('success');
      const lifted = (await search(query))[0]?.score ?? 0;
      expect(lifted).toBeGreaterThan(score);
      for (let run = 0; run < 200; run += 1) await rate('success');
      const most = (await search(query))[0]?.score ?? 0;
      expect(most).toBeGreaterThan(lifted);
      expect(most).toBeLessThanOrEqual(score * 1.08 + 0.0001);
    });

    it('survives any query', async () => {
      const odd = [
        '"',
        "' OR 1=1 --",
        'a AND',
        'NEAR(',
        '*',
        '{name} : x',
        'a\u0000b',
        '\ud800',
        '-',
        '^x',
        '(((',
        '🚀',
      ];
      for (const query of [...odd, 'x'.repeat(100_000), 'a b c d e f g h '.repeat(2000), '| | | a']) {
        expect(Array.isArray(await search(query))).toBe(true);
      }
    });
  });
}

/** The title with one letter of one of its words (of four letters and more) dropped, swapped, doubled or replaced. */
function withSlip(title: string, word: number, at: number, kind: string): string {
  const long = [...title.matchAll(/\p{L}{4,}/gu)];
  const match = long[word % long.length];
  if (match === undefined) return title;
  const letters = [...match[0]];
  const place = at % (letters.length - 1);
  const [left = '', right = ''] = letters.slice(place);
  if (kind === 'drop') letters.splice(place, 1);
  if (kind === 'swap') letters.splice(place, 2, right, left);
  if (kind === 'double') letters.splice(place, 0, left);
  if (kind === 'replace') letters.splice(place, 1, 'q');
  return title.slice(0, match.index) + letters.join('') + title.slice(match.index + match[0].length);
}
