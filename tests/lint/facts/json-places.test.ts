import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateJsonValue } from '../../../src/formats/json/places.ts';

const TEXT = '{ "a": {"b": [1, "x\\"y", {"c": true}]}, "d": "one\\u0041\\ntwo" }';
const at = (range: readonly [number, number] | null | undefined) => (range ? TEXT.slice(...range) : null);

describe('locateInJson', () => {
  it.each([
    [[], null, TEXT],
    [['a'], '"a"', '{"b": [1, "x\\"y", {"c": true}]}'],
    [['a', 'b'], '"b"', '[1, "x\\"y", {"c": true}]'],
    [['a', 'b', 0], null, '1'],
    [['a', 'b', 1], null, '"x\\"y"'],
    [['a', 'b', 2, 'c'], '"c"', 'true'],
    [['d'], '"d"', '"one\\u0041\\ntwo"'],
  ])('finds %j', (path, key, value) => {
    const found = locateJsonValue(TEXT, path);
    expect([at(found?.key), at(found?.value)]).toEqual([key, value]);
  });

  it.each([[['x']], [['a', 'c']], [['a', 'b', 3]], [['d', 0]], [['a', 0]]])('finds nothing at %j', (path) => {
    expect(locateJsonValue(TEXT, path)).toBeNull();
  });

  it('returns where the units of a string are written, with escapes as written', () => {
    const inside = locateJsonValue(TEXT, ['d'])?.inside;
    expect(at(inside?.(0, 3))).toBe('one');
    expect(at(inside?.(3, 4))).toBe('\\u0041');
    expect(at(inside?.(4, 5))).toBe('\\n');
    expect(at(inside?.(5, 8))).toBe('two');
    expect(at(inside?.(0, 99))).toBe('one\\u0041\\ntwo');
  });

  it('uses the last of two equal keys, as JSON.parse does', () => {
    const text = '{"a": 1, "a": 2}';
    expect(text.slice(...(locateJsonValue(text, ['a'])?.value ?? [0, 0]))).toBe('2');
  });

  it('finds every value of any JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        for (const [path, inner] of walk(JSON.parse(text))) {
          const found = locateJsonValue(text, path);
          expect(JSON.parse(text.slice(...found!.value))).toEqual(inner);
          const last = path.at(-1);
          if (typeof last === 'string') expect(JSON.parse(text.slice(...found!.key!))).toBe(last);
          if (typeof inner !== 'string') continue;
          const middle = Math.floor(inner.length / 2);
          expect(JSON.parse(`"${text.slice(...found!.inside(0, middle))}"`)).toBe(inner.slice(0, middle));
          expect(JSON.parse(`"${text.slice(...found!.inside(middle, inner.length))}"`)).toBe(
            inner.slice(middle),
          );
        }
      }),
    );
  });
});

type Path = (string | number)[];

function* walk(value: unknown, path: Path = []): Generator<[Path, unknown]> {
  yield [path, value];
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* walk(item, [...path, at]);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* walk(item, [...path, key]);
  }
}
