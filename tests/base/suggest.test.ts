import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggest } from '../../src/base/errors.ts';

const KNOWN = [
  'timeout_seconds',
  'cmd',
  'workdir',
  'expect_exit_code',
  'env',
  'disable',
  'disable-next-line',
];

describe('suggest', () => {
  it.each([
    ['timeout', 'timeout_seconds'],
    ['timeout_second', 'timeout_seconds'],
    ['cdm', 'cmd'],
    ['CMD', 'cmd'],
    ['wrokdir', 'workdir'],
    ['environment', 'env'],
    ['exspect_exitcode', 'expect_exit_code'],
    ['disabel', 'disable'],
    ['colour', undefined],
    ['', undefined],
  ])('suggests %j for %j', (word, meant) => {
    expect(suggest(word, KNOWN)).toBe(meant);
  });

  it('finds a known word despite one slip', () => {
    const word = fc.constantFrom(...KNOWN.filter(({ length }) => length > 4));
    fc.assert(
      fc.property(word, fc.nat(), (meant, at) => {
        const place = at % meant.length;
        expect(suggest(meant.slice(0, place) + meant.slice(place + 1), KNOWN)).toBe(meant);
      }),
    );
  });

  it('returns a word that is known', () => {
    for (const word of KNOWN) expect(suggest(word, KNOWN)).toBe(word);
  });
});
