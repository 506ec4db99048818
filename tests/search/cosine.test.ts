import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosineAt, unit } from '../../src/search/cosine.ts';

const vector = (length: number) =>
  fc
    .array(fc.double({ min: -1000, max: 1000, noNaN: true }), { minLength: length, maxLength: length })
    .map((values) => Float32Array.from(values));

describe('cosine', () => {
  it('of a vector with itself is 1, with its opposite -1, across 0', () => {
    const matrix = Float32Array.from([9, 9, ...unit(Float32Array.from([3, 4, 0])), 0, 0, 1]);
    const query = unit(Float32Array.from([3, 4, 0]));
    expect(cosineAt(matrix, 2, query)).toBeCloseTo(1, 6);
    expect(
      cosineAt(
        matrix,
        2,
        query.map((value) => -value),
      ),
    ).toBeCloseTo(-1, 6);
    expect(cosineAt(matrix, 5, query)).toBe(0);
  });

  it('is the plain sum of products, for any number of dimensions', () => {
    const pair = fc.integer({ min: 1, max: 40 }).chain((length) => fc.tuple(vector(length), vector(length)));
    fc.assert(
      fc.property(pair, ([left, right]) => {
        const a = unit(left);
        const b = unit(right);
        const expected = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
        expect(cosineAt(a, 0, b)).toBeCloseTo(expected, 5);
      }),
    );
  });

  it('scales to length 1 and leaves what it was given', () => {
    const given = Float32Array.from([3, 4]);
    expect([...unit(given)]).toEqual([...Float32Array.from([0.6, 0.8])]);
    expect([...given]).toEqual([3, 4]);
    expect([...unit(new Float32Array(3))]).toEqual([0, 0, 0]);
  });
});
