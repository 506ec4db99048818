import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellPattern } from '../../../src/host/files/pattern-files.ts';

describe('a pattern of the shell', () => {
  it.each([
    ['*.ts', { 'a.ts': true, '.ts': true, 'a.tsx': false, 'b/a.ts': false }],
    ['a?c', { abc: true, ac: false, 'a/c': false }],
    ['[ab].sh', { 'a.sh': true, 'c.sh': true, 'aa.sh': false }],
    ['{a,b}.sh', { 'a.sh': true, 'ab.sh': true, 'a/b.sh': false }],
    [
      '/home/$X/holds.yaml',
      { '/home/a/b/holds.yaml': true, '/home//holds.yaml': true, '/holds.yaml': false },
    ],
    ['{a,{b,c}}.sh', { 'c.sh': true, 'a/b.sh': false }],
    ['{}*.sh', { '{}a.sh': true, 'a.sh': false }],
    ['a.b', { 'a.b': true, axb: false }],
    ['', { '': true, a: false }],
  ])('%j', (pattern, texts) => {
    const fits = shellPattern(pattern);
    expect(Object.fromEntries(Object.keys(texts).map((text) => [text, fits.test(text)]))).toEqual(texts);
  });

  it('matches what the equivalent regular expression matches', () => {
    const parts = { a: 'a', '/': '/', '.': '\\.', '?': '[^/]', '*': '[^/]*', '${X}': '.*' };
    const pattern = fc.array(fc.constantFrom(...(Object.keys(parts) as (keyof typeof parts)[])), {
      maxLength: 6,
    });
    const text = fc.string({ unit: fc.constantFrom('a', '/', '.', 'b'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (written, name) => {
        const expression = RegExp(`^${written.map((part) => parts[part]).join('')}$`);
        expect(shellPattern(written.join('')).test(name)).toBe(expression.test(name));
      }),
    );
  });

  it.each(['$a', '*?', '*a', '{a,b}', '[ab]*'])('returns a result when %j is repeated', (part) => {
    expect(shellPattern(`/home/${part.repeat(150)}!`).test(`/home/${'a'.repeat(250)}`)).toBe(false);
  });
});
