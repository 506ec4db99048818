import { describe, expect, it } from 'vitest';
import { loadPatterns } from '../../src/formats/re2.ts';

const patterns = await loadPatterns();

describe('matchesNothing', () => {
  it.each(['[^\\s\\S]', 'a^b', 'a$b', 'a\\bb', 'a\\B', 'a\\B-', '(?:a|b)[^\\s\\S]+', 'x*\\b\\B'])(
    'finds that nothing matches %s',
    (pattern) => {
      for (const one of [pattern, `(?is)${pattern}`]) expect(patterns.matchesNothing(one)).toBe(true);
    },
  );

  it.each([
    '',
    'k',
    'ä',
    '^$',
    '.*',
    '\\d{3}',
    '\\bfoo\\b',
    'a\\b-',
    '(?m)a$\\n^b',
    'x|y$z',
    'prod.*|[^\\x00-\\x{10ffff}]',
    '\\pL+',
  ])('leaves %s, which something matches', (pattern) => {
    for (const one of [pattern, `(?is)${pattern}`]) expect(patterns.matchesNothing(one)).toBe(false);
  });

  it('is false for an invalid pattern', () => {
    expect(patterns.matchesNothing('(')).toBe(false);
  });
});
