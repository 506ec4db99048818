import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delayBefore, RETRY_POLICY, retryAfterMs } from '../../../src/store/qdrant/failures.ts';

const FAILURE = { reason: 'answered 503', hint: '' };

describe('delayBefore', () => {
  it('doubles the longest wait with each try, up to a limit', () => {
    const longest = [1, 2, 3, 4, 5].map((tries) => delayBefore(FAILURE, tries, 0, RETRY_POLICY, () => 1));
    expect(longest).toEqual([100, 200, 400, 800, 1600]);
    const patient = { ...RETRY_POLICY, attempts: 99 };
    expect(delayBefore(FAILURE, 20, 0, patient, () => 1)).toBe(5_000);
  });

  it('gives up after the last try, sooner when aborted, and when the time is over', () => {
    expect(delayBefore(FAILURE, 6, 0, RETRY_POLICY, () => 0)).toBeNull();
    expect(delayBefore({ ...FAILURE, refusedConnection: true }, 4, 0, RETRY_POLICY, () => 0)).toBeNull();
    expect(delayBefore(FAILURE, 2, 29_900, RETRY_POLICY, () => 1)).toBeNull();
  });

  it('waits as long as the server asks, or not at all when that is too long', () => {
    expect(delayBefore({ ...FAILURE, waitMs: 12_000 }, 1, 0, RETRY_POLICY, () => 1)).toBe(12_000);
    expect(delayBefore({ ...FAILURE, waitMs: 60_000 }, 1, 0, RETRY_POLICY, () => 1)).toBeNull();
  });

  it('doubles what the server asked at least, as long as it stays busy', () => {
    const cut = { ...FAILURE, waitMs: 3_000, waitIsCut: true };
    const waits = [1, 2, 3].map((tries) => delayBefore(cut, tries, 0, RETRY_POLICY, () => 1));
    expect(waits).toEqual([3_000, 6_000, 12_000]);
    expect(delayBefore({ ...cut, waitMs: 0 }, 1, 0, RETRY_POLICY, () => 0.5)).toBe(50);
    expect(delayBefore(cut, 4, 21_000, RETRY_POLICY, () => 1)).toBeNull();
  });

  it('never waits less than asked, nor longer than the time', () => {
    const waits = fc.option(fc.integer({ min: 0, max: 40_000 }));
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        waits,
        fc.integer({ min: 1, max: 10 }),
        fc.nat(40_000),
        random,
        (waitMs, tries, elapsed, r) => {
          const delay = delayBefore({ ...FAILURE, waitMs }, tries, elapsed, RETRY_POLICY, () => r);
          if (delay === null) return;
          expect(delay).toBeGreaterThanOrEqual(waitMs ?? 0);
          expect(elapsed + delay).toBeLessThanOrEqual(RETRY_POLICY.withinMs);
        },
      ),
    );
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2026-01-02T03:04:05Z');
  it.each([
    [undefined, null],
    ['0', 0],
    ['12', 12_000],
    [' 3 ', 3_000],
    ['Fri, 02 Jan 2026 03:04:15 GMT', 10_000],
    ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
    ['soon', null],
  ])('reads %j', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
