import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Transformers, transformers } from '../../../src/search/embedding/local-models.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-model-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = (model: string | null) => ({
  provider: 'transformers' as const,
  model,
  url: null,
  apiKey: null,
});

/** Stands in for the package, which is too large to be installed for tests: it remembers what it was asked. */
function fakePackage(fails = 0) {
  const asked: unknown[] = [];
  let failing = fails;
  const env = { localModelPath: '', allowRemoteModels: true, allowLocalModels: false };
  const loaded: Transformers = {
    env,
    async pipeline(task, model, options) {
      asked.push([task, model, options]);
      if (failing > 0) {
        failing -= 1;
        throw new Error('no such file: config.json');
      }
      return async (texts, pooling) => {
        asked.push([texts, pooling]);
        return { tolist: () => texts.map((text) => [text.length, 1]) };
      };
    },
  };
  return { asked, env, load: async () => loaded };
}

describe('transformers', () => {
  it('loads a named model once, with mean pooling, in batches', async () => {
    const { asked, load, env } = fakePackage();
    const embedder = transformers(settings('Xenova/all-MiniLM-L6-v2'), load);
    const texts = Array.from({ length: 9 }, (_, at) => 'x'.repeat(at + 1));
    const vectors = await embedder.embed(texts, 'document');
    expect(vectors.map((vector) => [...vector])).toEqual(texts.map(({ length }) => [length, 1]));
    await embedder.embed(['y'], 'query');
    expect(asked).toEqual([
      ['feature-extraction', 'Xenova/all-MiniLM-L6-v2', { dtype: 'fp32' }],
      [texts.slice(0, 8), { pooling: 'mean', normalize: true }],
      [texts.slice(8), { pooling: 'mean', normalize: true }],
      [['y'], { pooling: 'mean', normalize: true }],
    ]);
    expect([embedder.name, env.allowRemoteModels]).toEqual(['transformers:Xenova/all-MiniLM-L6-v2', true]);
  });

  it('has a model of many languages by default, which gets the kind of a text', async () => {
    const { asked, load } = fakePackage();
    await transformers(settings(null), load).embed(['x'], 'query');
    expect(asked).toEqual([
      ['feature-extraction', 'Xenova/multilingual-e5-small', { dtype: 'fp32' }],
      [['query: x'], { pooling: 'mean', normalize: true }],
    ]);
  });

  it('reads a model of a folder, and then fetches nothing', async () => {
    const { asked, load, env } = fakePackage();
    const embedder = transformers(settings(folder), load);
    await embedder.embed(['x'], 'document');
    expect(asked[0]).toEqual(['feature-extraction', basename(folder), { dtype: 'fp32' }]);
    expect(env).toEqual({
      localModelPath: dirname(folder),
      allowRemoteModels: false,
      allowLocalModels: true,
    });
    expect(embedder.name).toBe(`transformers:${basename(folder)}`);
    const missing = transformers(settings(join(folder, 'nothing')), load);
    await expect(missing.embed(['x'], 'document')).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: expect.stringContaining('finds no folder'),
    });
  });

  it('reports why a model cannot be loaded, and tries again the next time', async () => {
    const { load } = fakePackage(1);
    const embedder = transformers(settings('a/b'), load);
    await expect(embedder.embed(['x'], 'document')).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: 'the embedding provider transformers:a/b cannot load the model: no such file: config.json',
    });
    expect(await embedder.embed(['x'], 'document')).toHaveLength(1);
  });
});
