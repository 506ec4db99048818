import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultyValues, valueAt } from '../../../src/protocol/block/value.ts';

test('What would be lost is reported with its kind and place', () => {
  const value = JSON.parse(
    '{"a": [1, 9007199254740993, {"b": "x\\u0000\\ud800"}], "\\ud800": 1, "__proto__": {}, "c": "\\udfff", "d": "😀"}',
  );
  expect(faultyValues(value)).toEqual([
    { fault: 'surrogate', path: ['\ud800'] },
    { fault: 'proto', path: ['__proto__'] },
    { fault: 'surrogate', path: ['c'] },
    { fault: 'nul', path: ['a', 2, 'b'] },
    { fault: 'number', path: ['a', 1] },
  ]);
});

test('A NUL is found at any place, and nothing in a valid text', () => {
  const leaf = fc.constantFrom('text', 1, true, null, '\0');
  const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value')),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('value')),
    ),
  }));
  fc.assert(
    fc.property(values, (value) => {
      const found = faultyValues(value);
      expect(found.map(({ path }) => valueAt(value, path))).toEqual(found.map(() => '\0'));
      expect(found.length).toBe(JSON.stringify(value).split('"\\u0000"').length - 1);
    }),
  );
});
