import { describe, expect, it } from 'vitest';
import { type Counts, reasonToFail, type VerdictOptions, verdict } from '../../src/lint/report.ts';

const NONE: Counts = {
  errors: 0,
  warnings: 0,
  infos: 0,
  fixable: 0,
  unsafelyFixable: 0,
  suppressed: 0,
  failures: 0,
};

describe('verdict', () => {
  it.each<[Partial<Counts>, Partial<VerdictOptions>, number]>([
    [{}, {}, 0],
    [{ errors: 1 }, {}, 1],
    [{ warnings: 9, infos: 9, suppressed: 3 }, {}, 0],
    [{ warnings: 1 }, { failOn: 'warning' }, 1],
    [{ infos: 1 }, { failOn: 'warning' }, 0],
    [{ infos: 1 }, { failOn: 'info' }, 1],
    [{ errors: 1 }, { failOn: 'info' }, 1],
    [{ errors: 1 }, { failOn: 'never' }, 0],
    [{ warnings: 2 }, { maxWarnings: 2 }, 0],
    [{ warnings: 3 }, { maxWarnings: 2 }, 1],
    [{ warnings: 1 }, { maxWarnings: 0, failOn: 'never' }, 1],
    [{ errors: 1, warnings: 5 }, { maxWarnings: 0, exitZero: true }, 0],
    [{ failures: 1 }, {}, 2],
    [{ failures: 1, errors: 1 }, { exitZero: true, failOn: 'never' }, 2],
  ])('%j with %j is %d', (counts, options, code) => {
    expect(verdict({ ...NONE, ...counts }, { failOn: 'error', exitZero: false, ...options })).toBe(code);
  });
});

describe('reasonToFail', () => {
  it.each<[Partial<Counts>, Partial<VerdictOptions>, boolean, string | null]>([
    [{ warnings: 4 }, { maxWarnings: 0 }, true, '4 warnings; at most 0 are allowed.'],
    [{ warnings: 2 }, { maxWarnings: 1 }, false, '2 warnings; at most 1 is allowed.'],
    [{ warnings: 2 }, { maxWarnings: 2 }, true, null],
    [{ warnings: 1 }, { failOn: 'warning' }, true, '1 warning; with --fail-on warning none is allowed.'],
    [{ warnings: 1 }, { failOn: 'warning' }, false, null],
    [
      { warnings: 0, infos: 2 },
      { failOn: 'info' },
      true,
      '0 warnings and 2 info; with --fail-on info none is allowed.',
    ],
    [{ errors: 1, warnings: 1 }, { failOn: 'warning' }, true, null],
    [{ warnings: 9 }, { maxWarnings: 0, exitZero: true }, true, null],
    [{ warnings: 9, failures: 1 }, { maxWarnings: 0 }, true, null],
  ])('of %j with %j, hidden %j, is %j', (counts, options, hidden, why) => {
    const terms = { failOn: 'error' as const, exitZero: false, ...options };
    expect(reasonToFail({ ...NONE, ...counts }, terms, hidden)).toBe(why);
  });
});
