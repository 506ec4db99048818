import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { locateInYaml } from '../../src/formats/yaml.ts';

const TEXT = `proof_of_work:
  type: shell
  "shell":
    cmd: 'it''s ; done'
    workdir: "a\\tb"
    env: [A, B]
outputs:
  - path: dist
sampling: |
  one
    two

  three
`;
const at = (range: readonly [number, number] | null | undefined) => (range ? TEXT.slice(...range) : null);

describe('locateInYaml', () => {
  it.each([
    [['proof_of_work', 'type'], 'type', 'shell'],
    [['proof_of_work', 'shell', 'cmd'], 'cmd', "'it''s ; done'"],
    [['proof_of_work', 'shell'], '"shell"', `cmd: 'it''s ; done'\n    workdir: "a\\tb"\n    env: [A, B]\n`],
    [['proof_of_work', 'shell', 'env', 1], null, 'B'],
    [['outputs', 0, 'path'], 'path', 'dist'],
  ])('finds %j', (path, key, value) => {
    const found = locateInYaml(TEXT, path);
    expect([at(found?.key), at(found?.value)]).toEqual([key, value]);
  });

  it('finds nothing at an empty place', () => {
    expect(locateInYaml(TEXT, ['proof_of_work', 'mcp'])).toBeNull();
    expect(locateInYaml('', ['a'])).toBeNull();
  });

  it.each([
    [['proof_of_work', 'type'], 0, 2, 'sh'],
    [['proof_of_work', 'shell', 'cmd'], 3, 6, 's ;'],
    [['proof_of_work', 'shell', 'workdir'], 1, 3, '\\tb'],
    [['sampling'], 0, 3, 'one'],
    [['sampling'], 4, 9, '  two'],
    [['sampling'], 11, 16, 'three'],
  ])('returns where units of the string at %j are written', (path, from, to, text) => {
    expect(at(locateInYaml(TEXT, path)?.inside(from, to))).toBe(text);
  });

  it('counts an escape above the first plane as the two units that it is read as', () => {
    const text = 'cmd: "a\\U0001F600b"\nraw: \'a\\U0001F600b\'\n';
    const inside = (key: string, from: number, to: number) =>
      text.slice(...locateInYaml(text, [key])!.inside(from, to));
    expect([inside('cmd', 1, 3), inside('cmd', 3, 4)]).toEqual(['\\U0001F600', 'b']);
    expect([inside('raw', 1, 3), inside('raw', 3, 4)]).toEqual(['\\U', '0']);
  });

  it('returns the whole value where the text is folded', () => {
    const text = 'cmd: >\n  one\n  two\n';
    expect(locateInYaml(text, ['cmd'])?.inside(0, 3)).toEqual(locateInYaml(text, ['cmd'])?.value);
  });

  it('finds the pieces of any one-line text in any style of quoting', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((text) => !/[\r\n\u2028\u2029]/.test(text));
    const style = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL');
    fc.assert(
      fc.property(line, style, (value, defaultStringType) => {
        const text = stringify(
          { a: { cmd: value } },
          { defaultStringType: defaultStringType as 'PLAIN', lineWidth: 0 },
        );
        const found = locateInYaml(text, ['a', 'cmd'])!;
        const raw = text.slice(...found.value);
        if (raw.includes('\n')) return;
        const whole = text.slice(...found.inside(0, value.length));
        const quote = raw[0] === "'" || raw[0] === '"' ? raw[0] : '';
        expect(parse(`${quote}${whole}${quote}`) ?? '').toEqual(parse(raw) ?? '');
        expect(found.inside(0, value.length)[1] - found.inside(0, 0)[0]).toBe(raw.length - 2 * quote.length);
      }),
    );
  });
});
