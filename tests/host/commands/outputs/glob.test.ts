import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWild, matchesSegment, parsePath } from '../../../../src/host/outputs/find-files.ts';

describe('a path', () => {
  test.each([
    ['a', [['a']]],
    ['./a//b/', [['a', 'b']]],
    ['/a/b', [['a', 'b']]],
    [
      'a/{b,c}.js',
      [
        ['a', 'b.js'],
        ['a', 'c.js'],
      ],
    ],
    ['{a,b/{c,d}}', [['a'], ['b', 'c'], ['b', 'd']]],
    ['{a}', [['{a}']]],
    ['{a,', [['{a,']]],
    ['x{,y}', [['x'], ['xy']]],
    ['{a,a}', [['a']]],
    ['**/*.js', [['**', '*.js']]],
    ['..data/[id]', [['..data', '[id]']]],
  ])('%j stands for %j', (path, segments) => {
    expect(parsePath(path)).toEqual(segments);
  });

  test.each([
    [''],
    ['.'],
    ['/'],
    ['..'],
    ['a/../b'],
    ['a/{..,b}/c'],
    ['..\\a'],
    ['a\\..\\b'],
    ['a\0'],
    ['{/a,b}'],
    ['{/a,/b}'],
    ['{a,b,c,d,e}{a,b,c,d,e}{a,b,c}'],
  ])('%j is invalid', (path) => {
    expect(parsePath(path)).toBeNull();
  });

  test('never goes upwards, and is fast', () => {
    const piece = fc.constantFrom('..', '.', '/', 'a', '{', '}', ',', '*', '\\', '\0');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const parsed = parsePath(pieces.join(''));
        expect(parsed?.flat().filter((part) => part === '..' || part === '') ?? []).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a segment', () => {
  test.each([
    ['*', 'a', true],
    ['*', '', true],
    ['*', '.a', false],
    ['.*', '.a', true],
    ['?', 'é', true],
    ['?', '👍', true],
    ['?', '.', false],
    ['*.js', 'a.js', true],
    ['*.js', 'a.jsx', false],
    ['a*b*c', 'aXbYbc', true],
    ['a*b*c', 'aXcYb', false],
    ['[id].ts', '[id].ts', true],
    ['[id].ts', 'i.ts', false],
  ])('%j and the name %j: %s', (segment, name, expected) => {
    expect(matchesSegment(segment, name)).toBe(expected);
  });

  test('matches as a regular expression of the same meaning does', () => {
    const text = (characters: string[], maxLength: number) =>
      fc.array(fc.constantFrom(...characters), { maxLength }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text(['a', 'b', '*', '?', '.'], 6), text(['a', 'b', '.'], 8), (segment, name) => {
        const source = segment.replaceAll('.', '\\.').replace(/\*+/g, '.*').replaceAll('?', '.');
        const expected =
          new RegExp(`^${source}$`).test(name) && !(name.startsWith('.') && !segment.startsWith('.'));
        expect(matchesSegment(segment, name)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('of many stars does not hang', () => {
    expect(matchesSegment('*a'.repeat(100), 'a'.repeat(255).replace(/.$/, 'b'))).toBe(false);
  });

  test('is wild by a star or a question mark', () => {
    expect(['a', '*', 'a?', '**', '{a}'].map(isWild)).toEqual([false, true, true, true, false]);
  });
});
