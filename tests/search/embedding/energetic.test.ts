import { describe, expect, it } from 'vitest';
import { cosine, unit } from '../../../src/search/cosine.ts';
import { calibrate } from '../../../src/search/embedding/calibrate.ts';
import { energetic } from '../../../src/search/embedding/local-models.ts';

describe('energetic', () => {
  it('makes vectors that show what belongs together, with weights from the package', async () => {
    const embedder = energetic();
    const texts = ['restore the database from a backup', 'the data is gone, get it back', 'feed the cat'];
    const [first, second, third] = (await embedder.embed(texts, 'document')).map(unit) as Float32Array[];
    if (first === undefined || second === undefined || third === undefined) throw new Error('no vectors');
    expect(first).toHaveLength(512);
    expect(cosine(first, second)).toBeGreaterThan(cosine(first, third));
    expect(embedder.name).toBe('energetic:universal-sentence-encoder-lite-en');
  });

  it('ignores what it cannot read, and stops when aborted', async () => {
    const embedder = energetic();
    const [none, russian] = await embedder.embed(['', 'восстановить базу'], 'query');
    expect([none?.every((value) => value === 0), russian?.every((value) => value === 0)]).toEqual([
      true,
      true,
    ]);
    const reason = new Error('enough');
    await expect(embedder.embed(['a'], 'query', AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('is measured: nonsense below the floor, the same above it', async () => {
    const { dimensions, floor, ceiling } = await calibrate(energetic());
    expect(dimensions).toBe(512);
    expect(floor).toBeGreaterThan(0.2);
    expect(floor).toBeLessThan(0.5);
    expect(ceiling).toBeGreaterThan(floor + 0.1);
  });
});
