import { describe, expect, it } from 'vitest';
import { calibrate, MEANT_ALIKE, NONSENSE } from '../../../src/search/embedding/calibrate.ts';
import type { Embedder } from '../../../src/search/embedding/embedder.ts';

/** Every text has a direction of its own, wishes share theirs with what fulfils them; `common` is in all of them. */
function model(common: number): Embedder {
  const axes = MEANT_ALIKE.length + NONSENSE.length + 1;
  const vector = (axis: number) => {
    const values = new Float32Array(axes);
    values[axis] = 1;
    values[axes - 1] = common;
    return values;
  };
  const axisOf = (text: string) => {
    const pair = MEANT_ALIKE.findIndex((texts) => texts.includes(text));
    return pair === -1 ? MEANT_ALIKE.length + NONSENSE.indexOf(text) : pair;
  };
  return { name: 'test', batchSize: 8, embed: async (texts) => texts.map((text) => vector(axisOf(text))) };
}

describe('calibrate', () => {
  it('puts the floor where texts that do not belong together end, and the ceiling above those that do', async () => {
    const apart = await calibrate(model(0));
    expect(apart).toEqual({
      dimensions: MEANT_ALIKE.length + NONSENSE.length + 1,
      floor: expect.closeTo(0, 5),
      ceiling: 1,
    });
  });

  it('follows a model whose cosines all lie high', async () => {
    // Unrelated texts have cosine 9 / 10.
    const { floor, ceiling } = await calibrate(model(3));
    expect(floor).toBeCloseTo(0.9, 5);
    expect(ceiling).toBe(1);
  });

  it('leaves some distance for a model that finds everything alike', async () => {
    const same: Embedder = {
      name: 'same',
      batchSize: 8,
      embed: async (texts) => texts.map(() => Float32Array.of(1)),
    };
    expect(await calibrate(same)).toEqual({ dimensions: 1, floor: 1, ceiling: 1.05 });
  });
});
