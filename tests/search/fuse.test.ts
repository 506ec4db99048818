import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuseRanks } from '../../src/search/fuse.ts';

describe('fuseRanks', () => {
  it('adds 1 / ((rank + 1) / weight + k - 1) for each ranking, k being 2 as in Qdrant', () => {
    const words = { items: ['a', 'b', 'c'], weight: 1 };
    const meaning = { items: ['c', 'd'], weight: 1 };
    expect([...fuseRanks([words, meaning])]).toEqual([
      ['a', 1 / 2],
      ['b', 1 / 3],
      ['c', 1 / 4 + 1 / 2],
      ['d', 1 / 3],
    ]);
  });

  it('counts a ranking by its weight, and flattens with k', () => {
    const words = { items: ['a', 'b'], weight: 3 };
    const meaning = { items: ['b'], weight: 0.5 };
    expect([...fuseRanks([words, meaning])]).toEqual([
      ['a', expect.closeTo(3 / 4, 12)],
      ['b', 1 / (2 / 3 + 1) + 1 / (2 + 1)],
    ]);
    expect([...fuseRanks([words], 60)]).toEqual([
      ['a', 1 / (1 / 3 + 59)],
      ['b', 1 / (2 / 3 + 59)],
    ]);
  });

  it('keeps the order of a lone ranking, and is the same whatever order rankings come in', () => {
    const items = fc.uniqueArray(fc.integer(), { maxLength: 30 });
    const weight = fc.double({ min: 0.01, max: 10, noNaN: true });
    const ranking = fc.record({ items, weight });
    fc.assert(
      fc.property(ranking, ranking, (left, right) => {
        const sums = fuseRanks([left]);
        expect([...sums.keys()]).toEqual(left.items);
        expect([...sums.values()]).toEqual([...sums.values()].toSorted((a, b) => b - a));
        const there = fuseRanks([left, right]);
        const back = fuseRanks([right, left]);
        for (const [item, sum] of there) expect(back.get(item)).toBeCloseTo(sum, 12);
        expect(back.size).toBe(there.size);
      }),
    );
  });
});
