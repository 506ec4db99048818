import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nestingBeyond, parseJson } from '../../../src/protocol/block/json.ts';

describe('parseJson', () => {
  test.each([
    ['1', { value: 1, hasDuplicates: false, depth: 0 }],
    ['{"a": [{}, []]}', { value: { a: [{}, []] }, hasDuplicates: false, depth: 3 }],
    ['{"a": [[1]], "a": 1}', { value: { a: 1 }, hasDuplicates: true, depth: 1 }],
    ['[{"a": 1}, {"a": 2}]', { value: [{ a: 1 }, { a: 2 }], hasDuplicates: false, depth: 2 }],
    ['{', undefined],
  ])('%s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  test('tells the same depth as the brackets of the text', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'large' }), (text) => {
        const { depth, hasDuplicates } = parseJson(text)!;
        expect(hasDuplicates).toBe(false);
        expect(nestingBeyond(text, depth)).toBe(-1);
        if (depth > 0) expect(nestingBeyond(text, depth - 1)).not.toBe(-1);
      }),
    );
  });

  test('stands any depth and any length', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(parseJson(deep)?.depth).toBe(100_000);
    expect(parseJson(`[${'{},'.repeat(300_000)}{}]`)?.depth).toBe(2);
  });
});
