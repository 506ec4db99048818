import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { isObject, jsonEqual, own } from '../../src/base/json.ts';

test('two JSON values are equal exactly when their canonical texts are', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(jsonEqual(a, b)).toBe(canonical(a) === canonical(b));
      expect(jsonEqual(a, JSON.parse(canonical(a)))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('lone surrogates and negative zero are compared, not choked on', () => {
  expect(jsonEqual({ a: '\ud800' }, { a: '\ud800' })).toBe(true);
  expect(jsonEqual({ a: '\ud800' }, { a: '\ud801' })).toBe(false);
  expect(jsonEqual([-0], [0])).toBe(true);
});

test('inherited keys are ignored', () => {
  expect(jsonEqual({ toString: 1 }, {})).toBe(false);
  expect(own({}, 'constructor')).toBe(undefined);
  expect(own(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1);
  expect([isObject({}), isObject([]), isObject(null), isObject('')]).toEqual([true, false, false, false]);
});
