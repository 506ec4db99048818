import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleProgram } from '../support/bundle.ts';
import type { AskScript, Task } from './programs/ask.ts';

let program: { path: string; remove: () => void };
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, 'programs/ask.ts'));
});
afterAll(() => program.remove());

const tasks: Task[] = [
  { kind: 'confirm', name: 'run', message: 'Run it?' },
  { kind: 'text', name: 'version', message: 'Version?', minLength: 3 },
  { kind: 'wait', ms: 20 },
  {
    kind: 'choice',
    name: 'target',
    message: 'Where to?',
    options: [{ value: 'staging' }, { value: 'production' }],
  },
  { kind: 'phrase', name: 'phrase', message: 'Deletes it.', phrase: 'drop it' },
  { kind: 'editor', name: 'comment', message: 'How was it?' },
];
const lines = ['y', '1.2.0', 'production', 'drop it', 'das lief 👍'];
const values = [true, '1.2.0', 'waited', 'production', true, 'das lief 👍'];
const answered = values.map((value) =>
  value === 'waited' ? value : { kind: 'answer', value, assurance: 'claimed' },
);

interface Result {
  code: number | null;
  reports: unknown[];
  output: string;
}

/** Runs the program with what `feed` does to its standard input. */
async function run(
  feed: (child: ChildProcess) => void,
  options: Partial<AskScript> & { env?: object; through?: string } = {},
): Promise<Result> {
  const script = JSON.stringify({ tasks, ...options });
  const { PATH } = process.env;
  const env = { PATH, TERM: 'xterm', FORCE_COLOR: '1', ...options.env };
  const child =
    options.through === undefined
      ? spawn(process.execPath, [program.path, script], { env })
      : spawn('/bin/sh', ['-c', options.through, 'sh', process.execPath, program.path, script], { env });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (data) => (stdout += data));
  child.stderr?.on('data', (data) => (stderr += data));
  child.stdin?.on('error', () => {});
  feed(child);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const reports = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line.replace(/^OUT /, '')));
  return { code, reports, output: stderr };
}

const whole = {
  code: 0,
  reports: [{ backEnd: 'plain', interactive: false }, ...answered, { unanswered: [] }],
};

it.each([
  ['all at once', `${lines.join('\n')}\n`],
  ['without a final line break', lines.join('\n')],
  ['with CRLF', `${lines.join('\r\n')}\r\n`],
  ['with more lines than questions', `${lines.join('\n')}\nmore\n`],
])('reads every answer from a pipe: %s', async (_name, input) => {
  const result = await run((child) => child.stdin?.end(input));
  expect(result).toMatchObject(whole);
  expect(result.output).not.toContain('\x1b');
  expect(result.output.split('\n').filter((line) => line.endsWith('?'))).toEqual(['Version?', 'Where to?']);
});

it('reads them byte by byte, with a character cut in two', async () => {
  const result = await run(async (child) => {
    for (const byte of Buffer.from(lines.join('\n'))) {
      child.stdin?.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    child.stdin?.end();
  });
  expect(result).toMatchObject(whole);
});

it('reads them one by one, each after its question', async () => {
  const left = [...lines];
  const result = await run((child) => {
    child.stderr?.on('data', (data: Buffer) => {
      for (const _question of String(data).match(/Run it|Version|Where to|Deletes|How was/g) ?? []) {
        child.stdin?.write(`${left.shift()}\n`);
      }
    });
  });
  expect(result).toMatchObject(whole);
});

it('reads them from a file', async () => {
  const through = `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} > "$TMP"; "$@" < "$TMP"; code=$?; rm "$TMP"; exit $code`;
  expect(await run(() => {}, { through, env: { TMP: `${program.path}.answers` } })).toMatchObject(whole);
});

it('reads them from an answers file, and then reads no input', async () => {
  const answersFile = `${program.path}.yaml`;
  writeFileSync(
    answersFile,
    'answers:\n  run: yes\n  version: 1.2.0\n  target: 2\n  phrase: drop it\n  comment: |\n    das lief 👍\n',
  );
  expect(await run(() => {}, { answersFile })).toEqual({
    code: 0,
    reports: [{ backEnd: 'answers', interactive: false }, ...answered, { unanswered: [] }],
    output: '',
  });
});

it('reports when the input ends in the middle, and accepts no half block', async () => {
  const result = await run((child) => child.stdin?.end('yes\n1.2.0'));
  expect(result.reports.slice(1)).toEqual([
    ...answered.slice(0, 3),
    { kind: 'eof' },
    { kind: 'eof' },
    { kind: 'eof' },
    { unanswered: ['target', 'phrase', 'comment'] },
  ]);
  const block = await run((child) => child.stdin?.end('"""\nhalf'), { tasks: tasks.slice(-1) });
  expect(block.reports.slice(1)).toEqual([{ kind: 'eof' }, { unanswered: ['comment'] }]);
});

it('refuses a wrong answer instead of asking again', async () => {
  const result = await run((child) => child.stdin?.end('yes\n1\n1.2.0\n'));
  expect(result).toMatchObject({
    code: 2,
    reports: [
      { backEnd: 'plain' },
      answered[0],
      {
        error: 'INVALID_INPUT',
        message: 'The answer on standard input to version is invalid: 2 more characters, please.',
      },
      { unanswered: [] },
    ],
  });
});

it.each([
  ['stays open and silent', undefined, 'unanswered'],
  ['is empty', '"$@" < /dev/null', 'eof'],
  ['is closed', '"$@" <&-', 'eof'],
])('does not hang when the input %s', async (_name, through, kind) => {
  const result = await run(() => {}, {
    tasks: tasks.slice(0, 1),
    through,
    env: { KAIROS_ANSWER_TIMEOUT: '0.2' },
  });
  expect(result).toMatchObject({
    code: 0,
    reports: [{ backEnd: 'plain', interactive: false }, { kind }, { unanswered: ['run'] }],
  });
});

it('asks no question with --no-input, and --yes confirms all the same', async () => {
  const two = tasks.slice(0, 2);
  const input = (child: ChildProcess) => child.stdin?.end('n\n1.2.0\n');
  const none = { backEnd: 'none', interactive: false };
  expect((await run(input, { tasks: two, flags: { noInput: true } })).reports).toEqual([
    none,
    { kind: 'unanswered' },
    { kind: 'unanswered' },
    { unanswered: ['run', 'version'] },
  ]);
  expect((await run(input, { tasks: two, flags: { noInput: true, yes: true } })).reports).toEqual([
    none,
    answered[0],
    { kind: 'unanswered' },
    { unanswered: ['version'] },
  ]);
});

it('leaves the unread lines alone when --yes answers a question', async () => {
  const result = await run((child) => child.stdin?.end('1.2.0\n'), {
    tasks: tasks.slice(0, 2),
    flags: { yes: true },
  });
  expect(result.reports.slice(1)).toEqual([...answered.slice(0, 2), { unanswered: [] }]);
});

it('ends on SIGTERM while it waits', async () => {
  const result = await run((child) => {
    child.stderr?.on('data', (data: Buffer) => {
      if (String(data).includes('Run it?')) child.kill('SIGTERM');
    });
  });
  expect(result).toEqual({
    code: 143,
    reports: [
      { backEnd: 'plain', interactive: false },
      { kind: 'interrupt', exitCode: 143 },
      { unanswered: [] },
    ],
    output: 'Run it? (yes or no)\n',
  });
});
