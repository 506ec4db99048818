import { describe, expect, it } from 'vitest';
import { fixText } from '../../src/lint/fix.ts';
import type { LintMessage } from '../../src/lint/message.ts';
import { message } from './reporters/hostile.ts';

/** Reports every match, and mends it. */
function rule(pattern: RegExp, replacement: string, over: Partial<LintMessage> = {}, safe = true) {
  return (text: string): LintMessage[] =>
    [...text.matchAll(pattern)].map(({ 0: match, index }) =>
      message({ ...over, fix: { range: [index, index + match.length], replacement, safe } }),
    );
}

const linter =
  (...rules: ((text: string) => LintMessage[])[]) =>
  async (text: string) =>
    rules.flatMap((check) => check(text));

describe('fixText', () => {
  it('continues until nothing is left to fix', async () => {
    const lint = linter(rule(/aa/g, 'a'), rule(/ab/g, 'c'));
    expect(await fixText('aaaab', lint, { unsafe: false })).toMatchObject({
      text: 'ac',
      count: 3,
      gaveUp: null,
    });
  });

  it('makes no unsafe fix unless asked to', async () => {
    const lint = linter(rule(/x/g, 'y', {}, false));
    expect(await fixText('x', lint, { unsafe: false })).toMatchObject({ text: 'x', count: 0, gaveUp: null });
    expect(await fixText('x', lint, { unsafe: true })).toMatchObject({ text: 'y', count: 1, gaveUp: null });
  });

  it('ends when two rules revert each other', async () => {
    const lint = linter(rule(/x/g, 'y'), rule(/y/g, 'x'));
    expect(await fixText('x', lint, { unsafe: false })).toMatchObject({
      text: 'x',
      count: 10,
      gaveUp: 'bound',
    });
  });

  it('reverts a round that leaves more errors', async () => {
    const lint = linter(rule(/x/g, 'ee'), (text) =>
      [...text.matchAll(/e/g)].map(() => message({ severity: 'error', fatal: true })),
    );
    expect(await fixText('x', lint, { unsafe: false })).toMatchObject({
      text: 'x',
      count: 0,
      gaveUp: 'errors',
    });
  });

  it('knows through all rounds where a place comes from', async () => {
    const lint = linter(rule(/aa/g, 'a'), rule(/ab/g, 'cde'));
    const { text, origin } = await fixText('x aaaab y', lint, { unsafe: false });
    expect(text).toBe('x acde y');
    expect([0, 2, 3, 5, 6, 7].map((at) => origin(at))).toEqual([
      [0, 1],
      [2, 5],
      [5, 7],
      [5, 7],
      [7, 8],
      [8, 9],
    ]);
  });
});
