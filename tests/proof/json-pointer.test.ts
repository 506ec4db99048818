import { expect, test } from 'vitest';
import { atPointer } from '../../src/base/json.ts';

/** The document and the pointers of RFC 6901, section 5. */
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

test.each<[string, unknown]>([
  ['', DOCUMENT],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
])('%j leads to a value', (pointer, value) => {
  expect(atPointer(DOCUMENT, pointer)).toEqual({ found: true, value });
});

test.each(['foo', '/foo/2', '/foo/-', '/foo/00', '/foo/0/x', '/m~n', '/m~2n', '/toString', '/foo/length'])(
  '%j finds nothing',
  (pointer) => {
    expect(atPointer(DOCUMENT, pointer)).toEqual({ found: false });
  },
);
