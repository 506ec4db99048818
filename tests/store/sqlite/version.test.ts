import { describe, expect, it } from 'vitest';
import { chooseLibrary, isWalSafe } from '../../../src/store/sqlite/driver.ts';

describe('isWalSafe', () => {
  it.each([
    ['3.44.5', false],
    ['3.44.6', true],
    ['3.45.0', false],
    ['3.47.2', false],
    ['3.50.6', false],
    ['3.50.7', true],
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.53.0', true],
    ['4.0.0', true],
  ])('%s: %s', (version, expected) => {
    expect(isWalSafe(version)).toBe(expected);
  });
});

describe('chooseLibrary', () => {
  it.each([
    ['20.20.2', undefined, 'packaged'],
    ['22.12.0', '3.53.0', 'packaged'],
    ['22.13.0', '3.47.2', 'packaged'],
    ['22.23.3', '3.51.3', 'builtin'],
    ['24.21.0', '3.53.4', 'builtin'],
  ])('Node %s with SQLite %s: %s', (node, sqlite, expected) => {
    expect(chooseLibrary({ node, sqlite })).toBe(expected);
  });
});
