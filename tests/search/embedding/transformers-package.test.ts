import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cosine, unit } from '../../../src/search/cosine.ts';
import { type Transformers, transformers } from '../../../src/search/embedding/local-models.ts';
import { writeTinyModel } from './tiny-model.ts';

/**
 * The package with its runtimes takes half a gigabyte, so it is no dependency of the tests. Where it is at hand, name its
 * entry: KAIROS_TEST_TRANSFORMERS=/somewhere/node_modules/@huggingface/transformers/dist/transformers.node.mjs
 */
const entry = process.env.KAIROS_TEST_TRANSFORMERS;

const root = mkdtempSync(join(tmpdir(), 'kairos-tiny-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(entry === undefined)('transformers with the real package', () => {
  it('runs a model of a folder, and fetches nothing', async () => {
    const folder = join(root, 'tiny');
    writeTinyModel(folder);
    const settings = { provider: 'transformers', model: folder, url: null, apiKey: null } as const;
    const load = async () => (await import(/* @vite-ignore */ entry ?? '')) as Transformers;
    const embedder = transformers(settings, load);
    const texts = ['feed the cat', 'Feed the CAT!', 'walk the dog'];
    const [first, second, third] = (await embedder.embed(texts, 'document')).map(unit);
    if (first === undefined || second === undefined || third === undefined) throw new Error('no vectors');
    expect(first).toHaveLength(9);
    expect(cosine(first, third)).toBeCloseTo(1 / 3, 2);
    expect(cosine(first, second)).toBeGreaterThan(0.8);
  });
});
