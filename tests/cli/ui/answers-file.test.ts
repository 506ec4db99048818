import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAnswers, readAnswersFile } from '../../../src/cli/ui/answers-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-answers-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const parse = (text: string) => parseAnswers(text, 'a.yaml');

it('reads YAML, every scalar as it is written', async () => {
  const text =
    'answers:\n  1: 1.10\n  Run it: yes\n  3:\n    run: true\n    phrase: 2026-01-01\n  4: |\n    two\n    lines\n  5:\n';
  expect(await parse(text)).toEqual(
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
      ['4', 'two\nlines\n'],
      ['5', ''],
    ]),
  );
});

it('reads JSON, tabs and escapes included', async () => {
  const text =
    '{\n\t"answers": {\n\t\t"1": 1.10,\n\t\t"2": {"run": true},\n\t\t"3": "a\\/\\ud83d\\ude00\\n"\n\t}\n}\n';
  expect(await parse(text)).toEqual(
    new Map<string, unknown>([
      ['1', '1.10'],
      ['2', new Map([['run', 'true']])],
      ['3', 'a/😀\n'],
    ]),
  );
});

it('reads any JSON of texts as JSON.parse does', async () => {
  const answers = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'binary' }));
  await fc.assert(
    fc.asyncProperty(answers, async (given) => {
      const parsed = await parse(JSON.stringify({ answers: given }));
      expect([...parsed].sort()).toEqual(Object.entries(given).sort());
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
])('refuses %.40j: %s', async (text, reason) => {
  await expect(parse(text)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(`The answers file a.yaml cannot be used: ${reason}`),
    hint: expect.stringContaining('{answers: {'),
  });
});

it('reads a file, and says what is wrong with one that it cannot read', async () => {
  const path = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  expect(await readAnswersFile(path('good.json', '{"answers": {"1": "x"}}'))).toEqual(new Map([['1', 'x']]));
  expect(await readAnswersFile(path('bom.yaml', '\ufeffanswers: {1: x}'))).toEqual(new Map([['1', 'x']]));
  await expect(readAnswersFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  await expect(readAnswersFile(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  await expect(readAnswersFile(path('bad', Buffer.from([0xff])))).rejects.toThrow('it is not UTF-8');
  await expect(readAnswersFile(path('big', 'x'.repeat(1024 * 1024 + 1)))).rejects.toThrow(
    'it is larger than 1 MiB',
  );
});
