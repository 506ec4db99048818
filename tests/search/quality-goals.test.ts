import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProtocols, readQueries, toContent } from '../../bench/search/corpus.mjs';
import { type ClassFigures, measure } from '../../bench/search/measure.mjs';
import { indexChains } from '../../src/operations/index-chains.ts';
import { deriveSlug } from '../../src/protocol/identity.ts';
import { calibrate } from '../../src/search/embedding/calibrate.ts';
import { energetic } from '../../src/search/embedding/energetic.ts';
import { parseQuery } from '../../src/search/query.ts';
import type { Store } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { revisionOf, SPACE } from '../store/builders.ts';

let store: Store;
const embedder = energetic();
const queries = readQueries();
beforeAll(async () => {
  store = await openSqliteStore(':memory:');
  for (const protocol of readProtocols()) {
    await store.putRevision(revisionOf(toContent(protocol, deriveSlug(protocol.title))), null);
  }
}, 60_000);
afterAll(() => store.close());

const byWords = async (query: string) => {
  const hits = await store.searchChains({ query, limit: 10, spaces: [SPACE] });
  return hits.map(({ chain: { title } }) => ({ title }));
};

/** What was reached when the benchmark was written; PERFORMANCE.md tells what is behind it. */
function expectGoals(found: Record<string, ClassFigures>, paraphrase: number): void {
  for (const name of ['lexical', 'trigger', 'typo', 'languages']) {
    expect([name, found[name]?.misses]).toEqual([name, []]);
  }
  expect(found.nonsense).toMatchObject({ falseMatches: 0, misses: [] });
  expect(found.phrasings?.recall5).toBe(1);
  expect(found.paraphrase?.recall5).toBeGreaterThanOrEqual(paraphrase);
}

describe('search over the corpus of the benchmark', () => {
  it('is over at least 200 protocols and 120 queries', () => {
    const titles = readProtocols().map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.length).toBeGreaterThanOrEqual(200);
    const all = Object.values(queries).flat();
    expect(all.length).toBeGreaterThanOrEqual(120);
    expect(all.filter(({ title }) => title !== null && !titles.includes(title))).toEqual([]);
  });

  it('keeps paraphrases apart from the triggers that they are meant to reach', () => {
    const triggers = new Set(readProtocols().flatMap((protocol) => protocol.triggers));
    expect(queries.paraphrase?.filter(({ query }) => triggers.has(query))).toEqual([]);
  });

  it('reaches the goals by words alone', async () => {
    expectGoals(await measure(queries, byWords), 0.6);
  }, 60_000);

  it('reaches more with a small model, and still finds nothing for nonsense', async () => {
    await indexChains(store, embedder, { calibrate });
    const model = await store.vectorModelInUse();
    if (model === null) throw new Error('no model in use');
    const search = async (query: string) => {
      const texts = parseQuery(query).map(({ text }) => text);
      const phrasings = await embedder.embed(texts, 'query');
      const request = { query, limit: 10, spaces: [SPACE], vectors: { model, phrasings } };
      return (await store.searchChains(request)).map(({ chain: { title } }) => ({ title }));
    };
    expectGoals(await measure(queries, search), 0.75);
  }, 120_000);
});
