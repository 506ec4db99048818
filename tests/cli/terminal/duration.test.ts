import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatDuration } from '../../../src/base/duration.ts';

it.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [999.9, '999 ms'],
  [1000, '1.0 s'],
  [4290, '4.2 s'],
  [9999, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [7_200_000, '2 h'],
  [7_259_000, '2 h'],
  [7_260_000, '2 h 1 min'],
  [100_800_000, '1 d 4 h'],
])('prints %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('never rounds up, and rounds down by less than one of its smallest unit', () => {
  const units: Record<string, number> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };
  fc.assert(
    fc.property(fc.nat(400_000_000), (ms) => {
      const parts = formatDuration(ms).split(' ');
      let said = 0;
      for (let at = 0; at < parts.length; at += 2)
        said += Number(parts[at]) * (units[parts[at + 1] ?? ''] ?? NaN);
      expect(said).toBeLessThanOrEqual(ms);
      expect(ms - said).toBeLessThan(
        ms < 1000 ? 1 : ms < 10_000 ? 100 : ms < 3_600_000 ? 1000 : ms < 86_400_000 ? 60_000 : 3_600_000,
      );
    }),
  );
});
