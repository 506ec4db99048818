import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAnswers } from '../../../src/cli/terminal/parse-answers.ts';
import { runs } from '../../support/thorough.ts';

const parse = (text: string) => parseAnswers(text, 'a.yaml');

it('reads YAML, every scalar as written', () => {
  const text =
    'answers:\n  1: 1.10\n  Run it: yes\n  3:\n    run: true\n    phrase: 2026-01-01\n  4: |\n    two\n    lines\n  5:\n';
  expect(parse(text)).toEqual(
    new Map<string, unknown>([
      ['1', '1.10'],
      ['Run it', 'yes'],
      [
        '3',
        new Map([
          ['run', 'true'],
          ['phrase', '2026-01-01'],
        ]),
      ],
      ['4', 'two\nlines'],
      ['5', ''],
    ]),
  );
});

it('reads a proposal as JSON text or as a mapping, with digits as written', () => {
  const proposal =
    '{a: 1e-400, b: 9007199254740993, c: "1", d: [true, null, yes], h: , e: {}, f: 0x1f, g: 2.50}';
  const text =
    '{"a":1e-400,"b":9007199254740993,"c":"1","d":[true,null,"yes"],"h":null,"e":{},"f":"0x1f","g":2.50}';
  expect(
    parse(`answers:\n  2.proposal: ${proposal}\n  3: {proposal: ${proposal}, run: yes}\n  4.proposal: '{}'`),
  ).toEqual(
    new Map<string, unknown>([
      ['2.proposal', text],
      [
        '3',
        new Map([
          ['proposal', text],
          ['run', 'yes'],
        ]),
      ],
      ['4.proposal', '{}'],
    ]),
  );
});

it('reads any proposal in JSON as JSON.parse does', () => {
  const proposals = fc.dictionary(
    fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(proposals, (proposal) => {
      const parsed = parse(JSON.stringify({ answers: { '2.proposal': proposal } }));
      expect(JSON.parse(String(parsed.get('2.proposal')))).toEqual(JSON.parse(JSON.stringify(proposal)));
    }),
    { numRuns: runs(200) },
  );
});

it('reads JSON, tabs and escapes included', () => {
  const text =
    '{\n\t"answers": {\n\t\t"1": 1.10,\n\t\t"2": {"run": true},\n\t\t"3": "a\\/\\ud83d\\ude00\\n"\n\t}\n}\n';
  expect(parse(text)).toEqual(
    new Map<string, unknown>([
      ['1', '1.10'],
      ['2', new Map([['run', 'true']])],
      ['3', 'a/😀'],
    ]),
  );
});

it('reads any JSON of texts as JSON.parse does, less a last line break', () => {
  const answers = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(answers, (given) => {
      const parsed = parse(JSON.stringify({ answers: given }));
      expect([...parsed].sort()).toEqual(
        Object.entries(given)
          .map(([key, text]) => [key, text.replace(/\n$/, '')])
          .sort(),
      );
    }),
    { numRuns: runs(200) },
  );
});

it.each([
  ['', 'it is not a mapping with the key answers'],
  ['- a', 'it is not a mapping with the key answers'],
  ['answers: x', 'answers is not a mapping'],
  ['answers: {}\nother: 1', 'it has unknown keys next to answers: other'],
  ['answers: {1: [a]}', 'the answer to 1 is neither a text nor a mapping'],
  ['answers: {1: {run: [a]}}', 'the answer to 1, run, is not a text'],
  ['answers: {1: {run: {a: b}}}', 'the answer to 1, run, is not a text'],
  ['answers: {2.proposal: [a]}', 'the answer to 2.proposal is neither a text nor a mapping'],
  ['answers: {2.proposal: {[a]: b}}', 'the answer to 2.proposal has a key that is not a text'],
  ['answers: {1: {proposal: {a: {? {b: c} : d}}}}', 'the answer to 1, proposal has a key that is not a text'],
  ['answers: {2.proposal: {a: 1, a: 2}}', 'line 1, column 30: Map keys must be unique'],
  ['answers: {1: a, 1: b}', 'line 1, column 17: Map keys must be unique'],
  ['answers: {1: &x a}', 'it has an anchor or an alias'],
  ['answers: {1: &x a, 2: *x}', 'it has an anchor or an alias'],
  ['answers: {1: !!int 3}', 'line 1, column 14: Unresolved tag'],
  ['answers: {1: !own 3}', 'line 1, column 14: Unresolved tag'],
  ['answers: {1: "a', 'line 1, column 16: Missing closing "quote'],
  ['answers: {}\n---\nanswers: {}', 'line 2, column 1: a second document begins here'],
  [`answers: ${'['.repeat(50_000)}`, 'it is nested more than 64 levels deep'],
  [`answers: ${'{"a":'.repeat(70)}`, 'it is nested more than 64 levels deep'],
  [`answers:\n  ${'- '.repeat(50_000)}`, 'it is nested more than 64 levels deep'],
])('refuses %.40j: %s', (text, reason) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`The answers file a.yaml cannot be used: ${reason}`),
      hint: expect.stringContaining('{answers: {'),
    }),
  );
});
