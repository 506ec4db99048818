import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAnswers } from '../../../src/cli/ui/parse-answers.ts';

const parse = (text: string) => parseAnswers(text, 'a.yaml');

it('reads YAML, every scalar as it is written', () => {
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
    { numRuns: 200 },
  );
});

it.each([
  ['', 'it is not a mapping with the key answers'],
  ['- a', 'it is not a mapping with the key answers'],
  ['answers: x', 'answers is not a mapping'],
  ['answers: {}\nother: 1', 'it has unknown keys beside answers: other'],
  ['answers: {1: [a]}', 'the answer to 1 is neither a text nor a mapping'],
  ['answers: {1: {run: [a]}}', 'the answer to 1, run, is not a text'],
  ['answers: {1: a, 1: b}', 'Map keys must be unique'],
  ['answers: {1: &x a}', 'it has an anchor or an alias'],
  ['answers: {1: &x a, 2: *x}', 'it has an anchor or an alias'],
  ['answers: {1: !!int 3}', 'Unresolved tag'],
  ['answers: {1: !own 3}', 'Unresolved tag'],
  ['answers: {1: "a', 'Missing closing "quote'],
  ['answers: {}\n---\nanswers: {}', 'Source contains multiple documents'],
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
