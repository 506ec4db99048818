import { describe, expect, it } from 'vitest';
import { dot, idf, normalised, reciprocalRankFusion, sparseScore } from './scoring.ts';

describe('idf', () => {
  it('is ln((n - df + 0.5) / (df + 0.5) + 1), worked out by hand', () => {
    // 10 points, 1 of them: 9.5 / 1.5 + 1 = 7.333…; all 10: 0.5 / 10.5 + 1 = 1.0476…; none: 10.5 / 0.5 + 1 = 22.
    expect([idf(10, 1), idf(10, 10), idf(10, 0)]).toEqual([
      expect.closeTo(1.992_430_164_690_206_1, 12),
      expect.closeTo(0.046_520_015_634_892_9, 12),
      expect.closeTo(3.091_042_453_358_316, 12),
    ]);
  });
});

describe('sparseScore', () => {
  it('is the dot product of the weighted query, worked out by hand', () => {
    const query = new Map([
      [1, 1],
      [2, 0.5],
      [9, 1],
    ]);
    const vector = new Map([
      [1, 0.8],
      [2, 0.4],
      [3, 1],
    ]);
    // 1 * 2 * 0.8 + 0.5 * 3 * 0.4
    expect(sparseScore(query, vector, (index) => index + 1)).toBeCloseTo(2.2, 12);
  });
});

describe('cosine', () => {
  it('is the dot product of vectors of length 1', () => {
    const cosine = dot(normalised([3, 0, 4]), normalised([0, 0, 2]));
    expect(cosine).toBeCloseTo(0.8, 6);
    expect(normalised([0, 0])).toEqual(Float32Array.of(0, 0));
  });
});

describe('reciprocalRankFusion', () => {
  it('is 1 / ((rank + 1) / weight + k - 1), worked out by hand', () => {
    expect(reciprocalRankFusion([['a', 'b'], ['b']], 2)).toEqual([
      ['b', 1 / 3 + 1 / 2],
      ['a', 1 / 2],
    ]);
    // Weight 3: 1 / (1/3 + 1) = 0.75 and 1 / (2/3 + 1) = 0.6; weight 0.5: 1 / (2 + 1).
    expect(reciprocalRankFusion([['a', 'b'], ['b']], 2, [3, 0.5])).toEqual([
      ['b', expect.closeTo(0.6 + 1 / 3, 12)],
      ['a', expect.closeTo(0.75, 12)],
    ]);
    expect(reciprocalRankFusion([['a']], 60)).toEqual([['a', 1 / 60]]);
  });
});
