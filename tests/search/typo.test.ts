import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowsSlip, slipKeys, withinOneSlip } from '../../src/search/resolve.ts';

const word = fc.string({ unit: fc.constantFrom(...'abcdé🌱'), minLength: 1, maxLength: 8 });

describe('withinOneSlip', () => {
  it.each([
    ['release', 'release', true],
    ['release', 'relese', true],
    ['release', 'releasse', true],
    ['release', 'relaese', true],
    ['release', 'relexse', true],
    ['release', 'rlease', true],
    ['release', 'releas', true],
    ['release', 'eleasre', false],
    ['release', 'rela', false],
    ['abcd', 'badc', false],
    ['ab', 'ba', true],
    ['откат', 'аткат', true],
    ['🌱🌱ab', '🌱ab', true],
  ])('%s and %s: %s', (left, right, expected) => {
    expect(withinOneSlip(left, right)).toBe(expected);
  });

  it('agrees with the distance computed by the book, both ways round', () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(withinOneSlip(left, right)).toBe(distance([...left], [...right]) <= 1);
        expect(withinOneSlip(right, left)).toBe(withinOneSlip(left, right));
      }),
      { numRuns: 300 },
    );
  });
});

describe('slipKeys', () => {
  it('is the word and each way to leave out a letter', () => {
    expect(slipKeys('moon')).toEqual(['moon', 'oon', 'mon', 'moo']);
  });

  it('gives two words within one slip a key in common', () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        if (distance([...left], [...right]) > 1) return;
        const keys = new Set(slipKeys(left));
        expect(slipKeys(right).some((key) => keys.has(key))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('allowsSlip', () => {
  it('wants four letters, counted as people count them', () => {
    expect(['abc', 'abcd', '🌱🌱🌱', '🌱🌱🌱🌱'].map(allowsSlip)).toEqual([false, true, false, true]);
  });
});

/** Restricted Damerau-Levenshtein distance by dynamic programming. */
function distance(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1);
      (table[i] as number[])[j] = least;
    }
  }
  return at(a.length, b.length);
}
