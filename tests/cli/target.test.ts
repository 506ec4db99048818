import { describe, expect, it } from 'vitest';
import { readTarget } from '../../src/operations/target.ts';

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
});
