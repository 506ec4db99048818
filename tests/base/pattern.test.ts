import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { loadPatterns } from '../../src/formats/re2.ts';
import { runs } from '../support/thorough.ts';

const patterns = await loadPatterns();

describe('loadPatterns', () => {
  it('loads once', async () => {
    expect(await loadPatterns()).toBe(patterns);
  });

  it('searches anywhere, matches whole', () => {
    expect(patterns.search('b+', 'abbc')).toBe(true);
    expect(patterns.search('^b', 'abbc')).toBe(false);
    expect(patterns.search('(?m)^ok$', 'first\nok\nlast')).toBe(true);
    expect(patterns.fullMatch('a|ab', 'ab')).toBe(true);
    expect(patterns.fullMatch('b+', 'abbc')).toBe(false);
    expect(patterns.fullMatch('\\p{Greek}+', 'αβγ')).toBe(true);
    expect(patterns.fullMatch('.', '😀')).toBe(true);
  });

  it('is not slowed down by nested repetition', () => {
    expect(patterns.search('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
  });

  it.each([
    ['ok(?=x)', 'invalid or unsupported Perl syntax at character 3: (?='],
    ['[(?=] (?=b)', 'invalid or unsupported Perl syntax at character 7: (?='],
    ['(a)\\1', 'invalid escape sequence at character 4: \\1'],
    ['(?<!a)b', 'invalid named capture at character 1'],
    ['x(?<!a)b', 'invalid named capture at character 2: (?<!a)b'],
    ['a++', 'invalid nested repetition operator at character 2: ++'],
    ['*a', 'missing argument to repetition operator at character 1: *'],
    ['a*b**', 'invalid nested repetition operator at character 4: **'],
    ['a{1001}', 'invalid repeat count at character 2: {1001}'],
    ['(a', 'missing closing ) at character 3'],
    ['(a)b)', 'unexpected ) at character 5'],
    ['x[z-a]', 'invalid character class range at character 3: z-a'],
    ['[abc', 'missing closing ] at character 1'],
    ['a\\', 'trailing backslash at end of expression at character 2'],
    ['('.repeat(2000) + ')'.repeat(2000), 'expression nests too deeply at character 1'],
  ])('reports what is wrong with %.20s and where', (pattern, expected) => {
    expect(patterns.problem(pattern)).toBe(expected);
  });

  it('finds nothing wrong with what it can run', () => {
    expect(patterns.problem('^(?P<n>\\d{1,3})(?i:x)?\\z')).toBeNull();
  });

  it('refuses to run what is outside RE2', () => {
    const error = attempt(() => patterns.search('a(?!b)', 'ac'));
    expect(error).toBeInstanceOf(KairosError);
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'pattern "a(?!b)": invalid or unsupported Perl syntax at character 2: (?!',
      hint: expect.stringContaining('RE2'),
    });
    expect(attempt(() => patterns.fullMatch('(', ''))).toBeInstanceOf(KairosError);
  });

  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', 'c?', 'a*', 'b+', '(?:ab|c)', 'a{1,2}');
  const simple = fc.array(atom, { minLength: 1, maxLength: 6 }).map((atoms) => atoms.join(''));

  it('agrees with the built-in engine on their shared syntax', () => {
    fc.assert(
      fc.property(simple, fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', 'x') }), (pattern, text) => {
        expect(patterns.search(pattern, text)).toBe(new RegExp(pattern).test(text));
        expect(patterns.fullMatch(pattern, text)).toBe(new RegExp(`^(?:${pattern})$`).test(text));
      }),
      { numRuns: runs(300) },
    );
  });

  it('answers every text: either a pattern or a problem with its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab()[]{}*+?|\\^$.,1<=!P:-') }), (pattern) => {
        const problem = patterns.problem(pattern);
        if (problem === null) patterns.search(pattern, 'ab1');
        else {
          const place = Number(/ at character (\d+)/.exec(problem)?.[1]);
          expect(place).toBeGreaterThanOrEqual(1);
          expect(place).toBeLessThanOrEqual(pattern.length + 1);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

function attempt(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
