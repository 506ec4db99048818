import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/search/cosine.ts';

describe('nearest', () => {
  it('gives the greatest above the floor, greatest first, equal ones by row', () => {
    const cosines = [0.5, 0.9, 0.2, null, 0.9, 0.3];
    const of = (row: number) => cosines[row] ?? null;
    expect(nearest(6, 10, 0.2, of)).toEqual([
      { row: 1, cosine: 0.9 },
      { row: 4, cosine: 0.9 },
      { row: 0, cosine: 0.5 },
      { row: 5, cosine: 0.3 },
    ]);
    expect(nearest(6, 1, 0.2, of)).toEqual([{ row: 1, cosine: 0.9 }]);
    expect(nearest(0, 1, 0.2, of)).toEqual([]);
  });

  it('is sorting and cutting', () => {
    const cosines = fc.array(fc.option(fc.integer({ min: -10, max: 10 }).map((ten) => ten / 10)));
    fc.assert(
      fc.property(cosines, fc.integer({ min: 1, max: 8 }), (list, limit) => {
        const expected = list
          .map((cosine, row) => ({ row, cosine: cosine ?? -2 }))
          .filter(({ cosine }) => cosine > 0)
          .sort((left, right) => right.cosine - left.cosine || left.row - right.row)
          .slice(0, limit);
        expect(nearest(list.length, limit, 0, (row) => list[row] ?? null)).toEqual(expected);
      }),
    );
  });
});
