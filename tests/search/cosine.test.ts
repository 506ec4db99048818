import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, cosinesOf, dotAt, packVectors, rowLength, unit } from '../../src/search/cosine.ts';

const vector = (length: number) =>
  fc
    .array(fc.double({ min: -1000, max: 1000, noNaN: true }), { minLength: length, maxLength: length })
    .map((values) => Float32Array.from(values));

describe('packed vectors', () => {
  it('keep a cosine within a hundredth, for any number of dimensions', () => {
    const pair = fc.integer({ min: 1, max: 40 }).chain((length) => fc.tuple(vector(length), vector(length)));
    fc.assert(
      fc.property(pair, ([left, right]) => {
        const { bytes, dimensions } = packVectors([left, right]);
        const query = bytes.subarray(dimensions);
        const lengths = rowLength(bytes, 0, dimensions) * rowLength(bytes, dimensions, dimensions);
        const found = lengths === 0 ? 0 : dotAt(bytes, 0, query) / lengths;
        expect(Math.abs(found - cosine(unit(left), unit(right)))).toBeLessThan(0.02);
      }),
    );
  });

  it('return the nearest text, the whole and the nearest passage', () => {
    const rows = packVectors(
      [
        [1, 0, 0],
        [0, 1, 0],
        [0.6, 0.8, 0],
      ].map((row) => Float32Array.from(row)),
    );
    const query = packVectors(
      [
        [0, 2, 0],
        [0, 0, 1],
        [3, 0, 0],
      ].map((row) => Float32Array.from(row)),
    );
    expect(cosinesOf({ bytes: rows.bytes, first: 0, count: 3 }, query)).toEqual({
      best: 1,
      part: 1,
      whole: expect.closeTo(0.8, 2),
      passage: 1,
    });
  });

  it('are near nothing when they contain only zeros', () => {
    const zeros = packVectors([new Float32Array(3)]);
    const rows = packVectors([Float32Array.of(1, 2, 3)]);
    const none = { best: 0, part: 0, whole: 0, passage: 0 };
    expect(cosinesOf({ bytes: rows.bytes, first: 0, count: 1 }, zeros)).toEqual(none);
    expect(cosinesOf({ bytes: zeros.bytes, first: 0, count: 1 }, rows)).toEqual(none);
  });
});

describe('unit', () => {
  it('scales to length 1 and leaves what it was given', () => {
    const given = Float32Array.from([3, 4]);
    expect([...unit(given)]).toEqual([...Float32Array.from([0.6, 0.8])]);
    expect([...given]).toEqual([3, 4]);
    expect([...unit(new Float32Array(3))]).toEqual([0, 0, 0]);
  });
});
