import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainId, digest } from '../../src/protocol/identity.ts';
import type { SearchHit } from '../../src/search/classify.ts';
import type { VectorModel } from '../../src/search/vectors.ts';
import type { Store } from '../../src/store/port.ts';
import { THOROUGH } from '../support/thorough.ts';
import { contentOf, revisionOf, SPACE } from './builders.ts';

const MODEL: VectorModel = { model: 'test:plane#1', dimensions: 3, floor: 0.2, ceiling: 0.82 };
const OTHER: VectorModel = { model: 'test:line#1', dimensions: 1, floor: 0.1, ceiling: 0.2 };

const CAT = contentOf({ slug: 'feed-the-cat', title: 'Feed the cat', triggers: null, description: '' });
const DOG = contentOf({ slug: 'walk-the-dog', title: 'Walk the dog', triggers: null, description: '' });
const TAX = contentOf({ slug: 'file-the-taxes', title: 'File the taxes', triggers: null, description: '' });
const ALL = [CAT, DOG, TAX];
const AXES = { cat: [1, 0, 0], dog: [0.8, 0.6, 0], tax: [0, 0, 1] } as const;

/** What every store must do with vectors. `makeStore` gives an empty one. */
export function vectorContract(name: string, makeStore: () => Promise<Store>): void {
  describe(`${name}: vector contract`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await makeStore();
      for (const content of ALL) await store.putRevision(revisionOf(content), null);
    });
    afterEach(() => store.close());

    const put = (content: typeof CAT, axes: readonly number[], model = MODEL, space = SPACE) =>
      store.putVectors(model.model, [
        {
          chainId: chainId(space, content.slug),
          digest: digest(content),
          vectors: [Float32Array.from(axes)],
        },
      ]);
    const putAll = async () => {
      await store.addVectorModel(MODEL);
      await put(CAT, AXES.cat);
      await put(DOG, AXES.dog);
      await put(TAX, AXES.tax);
    };
    const missing = async (model = MODEL) =>
      (await store.chainsWithoutVector(model.model, 10)).map(({ content }) => content.slug).toSorted();
    const search = (
      query: string,
      phrasings: (readonly number[])[],
      spaces = [SPACE],
    ): Promise<SearchHit[]> =>
      store.searchChains({
        query,
        limit: 10,
        spaces,
        vectors: { model: MODEL, stretches: phrasings.map((axes) => [Float32Array.from(axes)]) },
      });
    const found = async (...asked: Parameters<typeof search>) =>
      (await search(...asked)).map(({ chain, score, match }) => [chain.slug, score, match]);

    it('knows no model at first, and then those that were added', async () => {
      expect(await store.vectorModels()).toEqual([]);
      expect(await store.vectorModelInUse()).toBeNull();
      await store.addVectorModel(MODEL);
      await store.addVectorModel(OTHER);
      await store.addVectorModel({ ...MODEL, floor: 0.4 });
      expect(await store.vectorModels()).toEqual([
        { ...OTHER, inUse: false, vectors: 0 },
        { ...MODEL, floor: 0.4, inUse: false, vectors: 0 },
      ]);
      await expect(store.addVectorModel({ ...MODEL, dimensions: 4 })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    });

    it('uses one model at most', async () => {
      expect(await store.useVectorModel(MODEL.model)).toBe(false);
      await store.addVectorModel(MODEL);
      await store.addVectorModel(OTHER);
      expect(await store.useVectorModel(MODEL.model)).toBe(true);
      expect(await store.vectorModelInUse()).toEqual(MODEL);
      expect(await store.useVectorModel(OTHER.model)).toBe(true);
      expect(await store.useVectorModel('unknown')).toBe(false);
      expect(await store.vectorModelInUse()).toEqual(OTHER);
      expect(await store.useVectorModel(null)).toBe(true);
      expect(await store.vectorModelInUse()).toBeNull();
    });

    it('lists what has no vector yet, by chain id and in pages', async () => {
      await store.addVectorModel(MODEL);
      const ids = ALL.map(({ slug }) => chainId(SPACE, slug)).toSorted();
      const first = await store.chainsWithoutVector(MODEL.model, 2);
      expect(first.map(({ chainId: id }) => id)).toEqual(ids.slice(0, 2));
      const rest = await store.chainsWithoutVector(MODEL.model, 2, ids[1]);
      expect(rest.map(({ chainId: id }) => id)).toEqual(ids.slice(2));
      expect(await store.chainsWithoutVector(MODEL.model, 2, ids[2])).toEqual([]);
      await put(DOG, AXES.dog);
      expect(await missing()).toEqual([CAT.slug, TAX.slug]);
      expect(await missing(OTHER)).toEqual([CAT.slug, TAX.slug, DOG.slug]);
      expect((await store.chainsWithoutVector(MODEL.model, 10))[0]).toEqual({
        chainId: expect.any(String),
        digest: expect.any(String),
        content: expect.objectContaining({ steps: expect.any(Array) }),
      });
    });

    it('takes a vector away with the head that it was made of', async () => {
      await putAll();
      await store.addVectorModel(OTHER);
      await put(CAT, [1], OTHER);
      const changed = contentOf({ ...CAT, steps: 3, description: 'Twice a day.' });
      await store.putRevision(revisionOf(changed), digest(CAT));
      expect([await missing(), await missing(OTHER)]).toEqual([[CAT.slug], [CAT.slug, TAX.slug, DOG.slug]]);
      expect(await found('zzz', [AXES.cat])).toEqual([[DOG.slug, expect.any(Number), 'semantic']]);
      expect(await put(CAT, AXES.cat)).toBe(0);
      expect(await put(changed, AXES.cat)).toBe(1);
      expect(await missing()).toEqual([]);
      await store.deleteChain(chainId(SPACE, DOG.slug));
      expect(await missing()).toEqual([]);
      expect(await found('zzz', [AXES.dog])).toEqual([[CAT.slug, expect.any(Number), 'semantic']]);
      expect(await store.vectorModels()).toMatchObject([{ vectors: 0 }, { vectors: 2 }]);
      await store.putRevision(revisionOf(DOG), null);
      expect(await missing()).toEqual([DOG.slug]);
    });

    it('keeps the vectors of a new head with it, and drops those of an unknown model', async () => {
      const changed = contentOf({ ...CAT, steps: 3, description: 'Twice a day.' });
      const head = { model: MODEL.model, vectors: [Float32Array.from(AXES.cat)] };
      expect(await store.putRevision(revisionOf(changed), digest(CAT), head)).toBe('stored');
      await store.addVectorModel(MODEL);
      await store.useVectorModel(MODEL.model);
      expect(await missing()).toContain(CAT.slug);
      expect(await store.putRevision(revisionOf(CAT), digest(CAT), head)).toBe('conflict');
      expect(await missing()).toContain(CAT.slug);
      expect(await store.putRevision(revisionOf(CAT), digest(changed), head)).toBe('stored');
      expect(await missing()).not.toContain(CAT.slug);
      expect(await found('zzz', [AXES.cat])).toEqual([[CAT.slug, expect.any(Number), 'semantic']]);
    });

    it('keeps nothing that cannot be compared', async () => {
      await expect(put(CAT, AXES.cat)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await store.addVectorModel(MODEL);
      for (const bad of [
        [1, 0],
        [1, 0, 0, 0],
        [1, Number.NaN, 0],
        [1, Number.POSITIVE_INFINITY, 0],
      ]) {
        await expect(put(CAT, bad)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      }
      await put(CAT, AXES.cat);
      await expect(search('zzz', [[1, 0]])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });

    it('finds by meaning what no word finds, nearest first, and nothing at the floor', async () => {
      await putAll();
      expect(await store.searchChains({ query: 'zzz', limit: 10, spaces: [SPACE] })).toEqual([]);
      // Cosines 1, 0.8 and 0 on a scale from 0.2 to 0.82: nearness 1 and 0.968, and half as much for the whole chain.
      expect(await found('zzz', [[3, 0, 0]])).toEqual([
        [CAT.slug, expect.closeTo(0.7769, 3), 'semantic'],
        [DOG.slug, expect.closeTo(0.766, 2), 'semantic'],
      ]);
      expect(await found('zzz', [[0, 0.3, 1]])).toEqual([[TAX.slug, expect.closeTo(0.7769, 3), 'semantic']]);
      // Too far, at the floor, and a query that is no word at all.
      expect(await found('zzz', [[-0.3, 0.6, -0.7]])).toEqual([]);
      expect(await found('zzz', [[0, 0, 0]])).toEqual([]);
      expect(await found('how to', [AXES.cat])).toEqual([]);
    });

    it('lets words and meaning help each other, and an exact name go first', async () => {
      await putAll();
      const words = (
        await store.searchChains({ query: 'how to groom a dog', limit: 10, spaces: [SPACE] })
      )[0];
      const both = await search('how to groom a dog', [AXES.dog]);
      expect(both.map(({ chain, match }) => [chain.slug, match])).toEqual([
        [DOG.slug, 'lexical'],
        [CAT.slug, 'semantic'],
      ]);
      expect(both[0]?.score).toBeGreaterThan(words?.score ?? 1);
      expect(await found('File the taxes', [AXES.cat])).toEqual([
        [TAX.slug, 1, 'exact'],
        [CAT.slug, expect.closeTo(0.7769, 3), 'semantic'],
        [DOG.slug, expect.closeTo(0.766, 2), 'semantic'],
      ]);
    });

    it('merges phrasings', async () => {
      await putAll();
      const one = await found('yyy | zzz', [AXES.tax, [-1, 0, 0]]);
      expect(one).toEqual([[TAX.slug, expect.closeTo(0.7769, 3), 'semantic']]);
      const two = await search('yyy | zzz', [AXES.tax, AXES.cat]);
      expect(two.map(({ chain }) => chain.slug).toSorted()).toEqual(ALL.map(({ slug }) => slug).toSorted());
    });

    it('looks into the asked spaces only', async () => {
      await putAll();
      await store.putRevision(revisionOf(CAT, { space: 'team' }), null);
      await put(CAT, AXES.cat, MODEL, 'team');
      const spaces = async (asked: string[]) =>
        (await search('zzz', [AXES.cat], asked))
          .map(({ chain }) => `${chain.space}/${chain.slug}`)
          .toSorted();
      expect(await spaces(['team'])).toEqual(['team/feed-the-cat']);
      expect(await spaces([SPACE])).toEqual([`${SPACE}/feed-the-cat`, `${SPACE}/walk-the-dog`]);
      expect(await spaces([SPACE, 'team'])).toHaveLength(3);
      expect(await spaces(['nowhere'])).toEqual([]);
    });

    it('goes on with words alone while the model is unknown or gone', async () => {
      const words = await store.searchChains({ query: 'feed the cat', limit: 10, spaces: [SPACE] });
      expect(await search('feed the cat', [AXES.dog])).toEqual(words);
      await putAll();
      await store.useVectorModel(MODEL.model);
      expect(await store.dropVectorModel(MODEL.model)).toBe(true);
      expect(await store.dropVectorModel(MODEL.model)).toBe(false);
      expect(await search('feed the cat', [AXES.dog])).toEqual(words);
      expect([await store.vectorModels(), await store.vectorModelInUse()]).toEqual([[], null]);
      await store.addVectorModel(MODEL);
      expect(await missing()).toEqual([CAT.slug, TAX.slug, DOG.slug]);
      expect(await search('zzz', [AXES.cat])).toEqual([]);
    });

    it('finds what was put after a search', async () => {
      await store.addVectorModel(MODEL);
      for (let at = 0; at < (THOROUGH ? 150 : 60); at += 1) {
        const content = contentOf({ slug: `vat-${at}`, title: `Vat ${at}`, triggers: null, steps: 0 });
        await store.putRevision(revisionOf(content), null);
        await put(content, [0, Math.cos(at / 300), Math.sin(at / 300)]);
        if (at % (THOROUGH ? 50 : 20) === 0)
          expect((await search('zzz', [[0, 1, 0]])).length).toBe(Math.min(10, at + 1));
      }
      expect((await found('zzz', [[0, 1, 0]])).length).toBe(10);
      await put(CAT, AXES.cat);
      expect((await found('zzz', [AXES.cat]))[0]).toEqual([CAT.slug, expect.closeTo(0.7769, 3), 'semantic']);
    });
  });
}
