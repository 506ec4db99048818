import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTooDeep, parseJson } from '../../../src/formats/json/parse.ts';
import { faultyValues } from '../../../src/protocol/block/value.ts';

describe('parseJson', () => {
  test.each([
    ['1', { value: 1, hasDuplicates: false, depth: 0 }],
    ['{"a": [{}, []]}', { value: { a: [{}, []] }, hasDuplicates: false, depth: 3 }],
    ['{"a": [[1]], "a": 1}', { value: { a: 1 }, hasDuplicates: true, depth: 1 }],
    ['[{"a": 1}, {"a": 2}]', { value: [{ a: 1 }, { a: 2 }], hasDuplicates: false, depth: 2 }],
    ['{', undefined],
    ['[1e-400, 1.10, "1e-400"]', { value: [Infinity, 1.1, '1e-400'], hasDuplicates: false, depth: 1 }],
    [
      '["\\"1.00000000000000000001", 1.00000000000000000001, -9007199254740993]',
      { value: ['"1.00000000000000000001', Infinity, Infinity], hasDuplicates: false, depth: 1 },
    ],
  ])('%s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  test('returns the same depth as the brackets of the text', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'large' }), (text) => {
        const { depth, hasDuplicates } = parseJson(text)!;
        expect(hasDuplicates).toBe(false);
        expect(findTooDeep(text, depth)).toBe(-1);
        if (depth > 0) expect(findTooDeep(text, depth - 1)).not.toBe(-1);
      }),
    );
  });

  test('returns the same values as JSON.parse, except for inexact numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, spaces) => {
        fc.pre(faultyValues(value).every(({ fault }) => fault !== 'number'));
        const text = JSON.stringify(value, null, spaces);
        expect(parseJson(text)?.value).toEqual(JSON.parse(text));
      }),
    );
  });

  test('reads any depth and any length', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(parseJson(deep)?.depth).toBe(100_000);
    expect(parseJson(`[${'{},'.repeat(300_000)}{}]`)?.depth).toBe(2);
    const long = `"${'\\\\a'.repeat(1_000_000)}"`;
    expect(parseJson(`[${long}, 1e-400, ${'9'.repeat(100_000)}]`)?.value).toEqual([
      JSON.parse(long),
      Infinity,
      Infinity,
    ]);
  });
});
