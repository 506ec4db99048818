import { describe, expect, it } from 'vitest';
import { parseYaml, readPlainYaml } from '../../src/formats/yaml.ts';

describe('readPlainYaml', () => {
  it.each([
    ['', null],
    ['a: 1\nb: [x, "y"]\n', { a: 1, b: ['x', 'y'] }],
    ['on: yes\n', { on: 'yes' }],
    ['__proto__: 1\n', JSON.parse('{"__proto__": 1}')],
  ])('reads %j', (text, value) => {
    expect(readPlainYaml(text)).toEqual({ value });
    expect(parseYaml(text)).toEqual(value);
  });

  it.each([
    ['a: 1\na: 2\n', /unique|twice|duplicate/i],
    ['a: &x 1\nb: *x\n', /aliases are not read/],
    ['a: !secret x\n', /tag/i],
    ['a: 1\n---\nb: 2\n', /multiple documents|document/i],
    ['a: [1\n', /./],
  ])('returns the fault of %j', (text, reason) => {
    expect(readPlainYaml(text)).toEqual({ fault: expect.stringMatching(reason) });
    expect(() => parseYaml(text)).toThrow(reason);
  });
});
