import { expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { yamlFault } from '../../src/base/errors.ts';

it.each([
  ['a: b: c\n', 'line 1, column 4: Nested mappings are not allowed in compact mappings'],
  ['a:\n  b: 1\n  b: 2\n', 'line 3, column 3: Map keys must be unique'],
  ['a: 1\n---\nb: 1\n', 'line 2, column 1: a second document begins here (---), and a file has one'],
  ['a:\n\tb: 1\n', 'line 2, column 1: Tabs are not allowed as indentation'],
])('reports the fault of %j and its place, once and in one line', (text, fault) => {
  expect(yamlFault(parseDocument(text).errors[0]!)).toBe(fault);
});

it('reports the fault when its place is unknown', () => {
  expect(yamlFault(new Error('aliases are not allowed'))).toBe('aliases are not allowed');
});
