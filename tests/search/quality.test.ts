import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { qualityLift } from '../../src/search/rank.ts';

const lift = (runs: number, successes: number, bonus = 0) => qualityLift({ runs, successes, bonus });

describe('qualityLift', () => {
  it('is 1 before three runs', () => {
    expect([lift(0, 0), lift(1, 1, 1), lift(2, 2, 2)]).toEqual([1, 1, 1]);
    expect(lift(3, 3)).toBeGreaterThan(1);
  });

  it('grows with a longer good record towards 8 percent, and a bad one lifts nothing', () => {
    expect(lift(3, 3)).toBeCloseTo(1.0351, 4);
    expect(lift(100, 100)).toBeCloseTo(1.077, 4);
    expect(lift(100, 50)).toBeCloseTo(1.0323, 4);
    expect(lift(100, 0)).toBe(1);
  });

  it('counts bonuses as parts of successes', () => {
    expect(lift(10, 5, 2)).toBe(lift(10, 7));
    expect(lift(10, 10, 10)).toBe(lift(10, 10));
    expect(lift(10, 2, -10)).toBe(1);
  });

  it('stays between 1 and 1.08 and never falls with one more success instead of a failure', () => {
    fc.assert(
      fc.property(
        fc.nat(10_000),
        fc.nat(10_000),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (a, b, share) => {
          const runs = Math.max(a, b);
          const successes = Math.min(a, b);
          const found = lift(runs, successes, share * runs);
          expect(found).toBeGreaterThanOrEqual(1);
          expect(found).toBeLessThanOrEqual(1.08);
          if (successes < runs) expect(lift(runs, successes + 1, share * runs)).toBeGreaterThanOrEqual(found);
        },
      ),
    );
  });
});
