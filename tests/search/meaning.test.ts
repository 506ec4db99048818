import { describe, expect, it } from 'vitest';
import { nearness } from '../../src/search/vectors.ts';

describe('nearness', () => {
  it('runs from 0 at the floor of a model to 1 at its ceiling, and no further', () => {
    const scale = { floor: 0.2, ceiling: 0.7 };
    const steps = [-1, 0.2, 0.45, 0.7, 1].map((cosine) => nearness(cosine, scale));
    expect(steps).toEqual([0, 0, expect.closeTo(0.5, 9), 1, 1]);
  });
});
