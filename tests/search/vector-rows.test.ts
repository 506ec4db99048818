import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainRows, vectorRows } from '../../src/search/cosine.ts';

const bytes = (length: number) => fc.int8Array({ minLength: length, maxLength: length });

describe('rows of vectors', () => {
  it('give the same dot products by WebAssembly as without, for any number of rows and dimensions', () => {
    const cases = fc
      .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 30 }))
      .chain(([dimensions, rows]) => {
        const { stride } = vectorRows(dimensions);
        return fc.tuple(fc.constant(dimensions), bytes(stride), bytes(stride * rows));
      });
    fc.assert(
      fc.property(cases, ([dimensions, query, all]) => {
        const fast = vectorRows(dimensions);
        const plain = plainRows(fast.stride);
        const rows = all.length / fast.stride;
        for (const each of [fast, plain]) {
          each.reserve(rows);
          each.bytes().set(all);
        }
        expect([...fast.dots(query, rows)]).toEqual([...plain.dots(query, rows)]);
      }),
    );
  });

  it('keeps what it has while it grows over several blocks', () => {
    const rows = vectorRows(256);
    rows.reserve(1);
    rows.bytes().set([1, -2, 3]);
    rows.reserve(20_000);
    const query = new Int8Array(256);
    query.set([5, 6, 7]);
    rows.bytes().set([0, 1], 19_999 * 256);
    const found = rows.dots(query, 20_000);
    expect([found[0], found[1], found[19_999]]).toEqual([14, 0, 6]);
  });
});
