import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { cleanData, cleanText, foreignJson } from '../../src/ledger/entry.ts';
import { shapeFault } from '../../src/ledger/line.ts';
import { runs } from '../support/thorough.ts';
import { SAMPLE } from './support.ts';

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

describe('cleanText', () => {
  test('replaces DEL and lone surrogates and nothing else', () => {
    expect(cleanText('a\x7fb\ud83dc\udc00😀\0\n\u0080')).toBe('a\ufffdb\ufffdc\ufffd😀\0\n\u0080');
  });

  test('is idempotent, and leaves what has an RFC 8785 text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = cleanText(text);
        expect(cleanText(clean)).toBe(clean);
        expect(clean).toHaveLength(text.length);
        expect(JSON.parse(canonical(clean))).toBe(clean);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('foreignJson', () => {
  test('is one canonical text, cleaned in keys and values', () => {
    expect(foreignJson({ b: [1.5, -0, 1e21], 'a\x7f': '\ud800', u: undefined })).toBe(
      '{"a\ufffd":"\ufffd","b":[1.5,0,1e+21]}',
    );
    expect(foreignJson(undefined)).toBe('null');
    expect(foreignJson([Number.NaN, Number.POSITIVE_INFINITY, undefined])).toBe('[null,null,null]');
    expect(foreignJson(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
  });

  test('returns the same value, for any JSON without what is replaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = foreignJson(value);
        fc.pre(!text.includes('\ufffd'));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(foreignJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('cleanData', () => {
  test('drops what is absent and keeps fractions and large numbers as text', () => {
    expect(
      cleanData({ a: undefined, b: null, c: 0.25, d: 2 ** 53, e: [-0, 'x\x7f', true], f: { g: undefined } }),
    ).toEqual({ b: null, c: '0.25', d: '9007199254740992', e: [0, 'x\ufffd', true], f: {} });
  });

  test('rejects keys outside ASCII and invalid JSON as an error of the caller', () => {
    expect(() => cleanData({ ключ: 1 })).toThrow(TypeError);
    expect(() => cleanData({ a: { 'b\x7f': 1 } })).toThrow(TypeError);
    expect(() => cleanData({ a: 1n })).toThrow(TypeError);
    expect(() => cleanData({ a: Number.NaN })).toThrow();
  });

  test('always returns data that verify accepts', () => {
    const key = fc.stringMatching(/^[ -~]{1,8}$/);
    const leaf = fc.oneof(
      anyText,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const data = fc.dictionary(key, fc.oneof(leaf, fc.array(leaf), fc.dictionary(key, leaf)));
    fc.assert(
      fc.property(data, (value) => {
        const clean = cleanData(value);
        expect(shapeFault({ ...SAMPLE.entries[0], data: clean })).toBe(null);
        expect(cleanData(clean)).toEqual(clean);
      }),
      { numRuns: runs(300) },
    );
  });
});
