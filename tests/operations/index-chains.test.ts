import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { indexChains, vectorModelName } from '../../src/operations/index-chains.ts';
import { digest } from '../../src/protocol/identity.ts';
import type { Embedder } from '../../src/search/embedding/embedder.ts';
import { embeddingTexts } from '../../src/search/vectors.ts';
import type { Store } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { contentOf, revisionOf } from '../store/builders.ts';

const SCALE = { dimensions: 2, floor: 0.1, ceiling: 0.9 };
const calibrate = vi.fn(async () => SCALE);
const failure = (reason: string) => new KairosError('EMBEDDING_FAILED', reason);

/** Embeds everything but texts with one of the words. */
function embedder(name: string, cannot: string[] = [], batchSize = 2): Embedder & { asked: string[] } {
  const asked: string[] = [];
  return {
    name,
    batchSize,
    asked,
    async embed(texts) {
      if (texts.some((text) => cannot.some((word) => text.includes(word)))) throw failure('odd text');
      asked.push(...texts);
      return texts.map(({ length }) => Float32Array.of(length, 1));
    },
  };
}

let store: Store;
const titles = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon'];
beforeEach(async () => {
  calibrate.mockClear();
  store = await openSqliteStore(':memory:');
  for (const title of titles) await store.putRevision(revisionOf(named(title)), null);
});
afterEach(() => store.close());
const named = (title: string, steps = 2) =>
  contentOf({ slug: title.toLowerCase(), title, triggers: '- "go on"\n- "do it"', steps });

describe('indexChains', () => {
  it('embeds every chain once, reports its progress, and lets search use the model', async () => {
    const one = embedder('test:one');
    const progress: number[] = [];
    const result = await indexChains(store, one, {
      calibrate,
      onProgress: ({ done }) => progress.push(done),
    });
    expect(result).toEqual({
      model: 'test:one#2',
      done: 5,
      total: 5,
      indexed: 5,
      failed: [],
      inUse: 'test:one#2',
      dropped: [],
    });
    expect(progress).toEqual([2, 4, 5]);
    expect(new Set(one.asked)).toEqual(new Set(titles.flatMap((title) => embeddingTexts(named(title)))));
    const texts = one.asked.length;
    expect(await store.vectorModelInUse()).toEqual({ model: 'test:one#2', ...SCALE });
    expect(await indexChains(store, one, { calibrate })).toMatchObject({ indexed: 0, done: 5 });
    expect([one.asked.length, calibrate.mock.calls.length]).toEqual([texts, 1]);
  });

  it('continues after an end at any moment', async () => {
    const one = embedder('test:one');
    const controller = new AbortController();
    const ended = indexChains(store, one, {
      calibrate,
      signal: controller.signal,
      onProgress: ({ done }) => done >= 2 && controller.abort(new Error('enough')),
    });
    await expect(ended).rejects.toThrow('enough');
    expect(await store.vectorModels()).toMatchObject([{ vectors: 2, inUse: false }]);
    expect(await indexChains(store, one, { calibrate })).toMatchObject({ indexed: 3, done: 5 });
    expect(one.asked.filter((text) => titles.includes(text)).toSorted()).toEqual(titles.toSorted());
  });

  it('adds what was minted or changed since', async () => {
    const one = embedder('test:one');
    await indexChains(store, one, { calibrate });
    await store.putRevision(revisionOf(named('Alpha', 7)), digest(named('Alpha')));
    await store.putRevision(revisionOf(named('Zeta')), null);
    expect(await indexChains(store, one, { calibrate })).toMatchObject({ indexed: 2, done: 6, total: 6 });
  });

  it('builds another model next to the one in use, and replaces that only when all are there', async () => {
    await indexChains(store, embedder('test:one'), { calibrate });
    const seen: (string | undefined)[] = [];
    const two = embedder('test:two');
    const embed = two.embed.bind(two);
    two.embed = async (...given) => {
      seen.push((await store.vectorModelInUse())?.model);
      return embed(...given);
    };
    const result = await indexChains(store, two, { calibrate });
    expect(seen).toEqual(['test:one#2', 'test:one#2', 'test:one#2']);
    expect(result).toMatchObject({ inUse: 'test:two#2', dropped: ['test:one#2'] });
    expect((await store.vectorModels()).map(({ model }) => model)).toEqual(['test:two#2']);
  });

  it('names chains without a vector, and continues with the others', async () => {
    const result = await indexChains(store, embedder('test:one', ['Delta'], 3), { calibrate });
    expect(result).toMatchObject({
      done: 4,
      inUse: 'test:one#2',
      failed: [{ chainId: expect.any(String), slug: 'delta', reason: 'odd text' }],
    });
  });

  it('fails when the provider can make no vector at all, and changes nothing in use', async () => {
    await indexChains(store, embedder('test:one'), { calibrate });
    await expect(indexChains(store, embedder('test:two', ['']), { calibrate })).rejects.toThrow('odd text');
    expect(await store.vectorModelInUse()).toMatchObject({ model: 'test:one#2' });
    calibrate.mockRejectedValueOnce(failure('down'));
    await expect(indexChains(store, embedder('test:three'), { calibrate })).rejects.toThrow('down');
  });

  it('names models by provider, model and form of the text', () => {
    expect(vectorModelName({ name: 'a:b' })).toBe('a:b#2');
  });
});
