import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { movedItems } from '../../src/ledger/verify.ts';

describe('movedItems', () => {
  test.each<[number[], number[]]>([
    [[], []],
    [[5], []],
    [[1, 4, 9], []],
    [[9, 1, 4], [9]],
    [[1, 2, 9, 3, 4], [9]],
    [
      [0, 3, 2, 1, 4],
      [3, 1],
    ],
    [
      [0, 5, 2, 3, 4, 1, 6],
      [5, 1],
    ],
  ])('of %j moves %j', (row, moved) => {
    expect([...movedItems(row)]).toEqual(moved);
  });

  test('what stays ascends, and nothing shorter would do', () => {
    const row = fc.uniqueArray(fc.integer(), { maxLength: 8 });
    fc.assert(
      fc.property(row, (numbers) => {
        const moved = movedItems(numbers);
        const rest = numbers.filter((number) => !moved.has(number));
        expect(rest).toEqual(rest.toSorted((a, b) => a - b));
        expect(rest).toHaveLength(longestAscent(numbers));
      }),
      { numRuns: 300 },
    );
  });
});

/** By trying out every choice. */
function longestAscent(row: number[], above = Number.NEGATIVE_INFINITY): number {
  const [first, ...rest] = row;
  if (first === undefined) return 0;
  const without = longestAscent(rest, above);
  return first > above ? Math.max(without, 1 + longestAscent(rest, first)) : without;
}
