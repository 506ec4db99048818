import { describe, expect, it } from 'vitest';
import { readTarget, storedTarget } from '../../src/operations/target.ts';

describe('readTarget', () => {
  it.each([
    ['release-npm-package', { kind: 'slug', slug: 'release-npm-package' }],
    ['kairos://mem/x', { kind: 'uri', uri: 'kairos://mem/x' }],
    ['KAIROS://mem/x', { kind: 'uri', uri: 'KAIROS://mem/x' }],
    ['./release', { kind: 'file', path: './release' }],
    ['release.md', { kind: 'file', path: 'release.md' }],
    ['Release', { kind: 'file', path: 'Release' }],
    ['-', { kind: 'file', path: '-' }],
  ])('%s', (text, target) => {
    expect(readTarget(text)).toEqual(target);
  });

  it('sends a file to be minted where only what is stored will do', () => {
    expect(() => storedTarget('./a.md')).toThrow('"./a.md" is neither a kairos://mem/ URI nor a slug');
    expect(storedTarget('a')).toEqual({ kind: 'slug', slug: 'a' });
  });
});
