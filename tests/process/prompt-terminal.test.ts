import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram } from '../support/bundle.ts';
import { closeTerminals, KEYS, openTerminal, type Terminal } from '../support/pty.ts';
import type { AskScript, Task } from './programs/ask.ts';

let program: { path: string; remove: () => void };
let folder: string;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, 'programs/ask.ts'));
  folder = mkdtempSync(join(tmpdir(), 'kairos-ui-'));
});
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(closeTerminals);

function open(tasks: Task[], env: Record<string, string> = {}, flags: AskScript['flags'] = {}): Terminal {
  const script = JSON.stringify({ tasks, flags });
  return openTerminal(process.execPath, { args: [program.path, script], env, cols: 100 });
}

/** What the program reported, in order. */
function reports(terminal: Terminal): unknown[] {
  return [...terminal.raw().matchAll(/OUT (.*?)\r?\n/g)].map(([, json]) => JSON.parse(json ?? ''));
}

const step = { index: 2, label: 'Ship it' };
const text: Task = { kind: 'text', name: 'answer', step, message: 'Which version?', minLength: 3 };
const plainText: Task = { kind: 'text', name: 'more', step, message: 'Anything else?' };
const tasks: Task[] = [
  { kind: 'confirm', name: 'run', step, message: 'Run \x1b[31mit?' },
  text,
  {
    kind: 'choice',
    name: 'target',
    step,
    message: 'Where to?',
    options: [{ value: 'staging' }, { value: 'production' }],
  },
  {
    kind: 'action',
    name: 'action',
    step,
    message: 'What now?',
    options: [
      { value: 'retry', label: 'Try again', key: 't' },
      { value: 'abort', label: 'Abort', key: 'a' },
    ],
  },
  { kind: 'phrase', name: 'phrase', step, message: 'This deletes it.', phrase: 'drop it' },
  { kind: 'editor', name: 'comment', step, message: 'How did it go?', minLength: 5 },
];
const answers = (assurance: string) =>
  [true, '1.2.0', 'production', 'abort', true, 'it went well'].map((value) => ({
    kind: 'answer',
    value,
    assurance,
  }));

/** Goes through `tasks` by keys, with a wrong answer to each that has one. */
async function answerByKeys(terminal: Terminal): Promise<void> {
  const enter = (line: string) => terminal.send(line + KEYS.enter);
  await terminal.waitFor('Run \\x1b[31mit?');
  enter('perhaps');
  await terminal.waitFor('Answer yes or no.');
  enter(`${KEYS.backspace.repeat(7)}y`);
  await terminal.waitFor('Which version?');
  enter('1');
  await terminal.waitFor('2 more characters');
  enter(`${KEYS.backspace}1.2.0`);
  await terminal.waitFor('Where to?');
  enter('2');
  await terminal.waitFor('What now?');
  enter('a');
  await terminal.waitFor('This deletes it.');
  enter('drop');
  await terminal.waitFor('That is not the phrase.');
  enter(`${KEYS.backspace.repeat(4)}drop it`);
  await terminal.waitFor('How did it go?');
  enter('it went well');
}

const form: Task = {
  kind: 'form',
  message: 'Inputs of "Drain"',
  questions: [
    { kind: 'text', name: 'input.HOST', label: 'HOST', message: 'HOST', hint: 'Host to \x1b[31mdrain' },
    { kind: 'text', name: 'input.COUNT', label: 'COUNT', message: 'COUNT', default: '3' },
    {
      kind: 'choice',
      name: 'input.MODE',
      label: 'MODE',
      message: 'MODE',
      options: [{ value: 'soft' }, { value: 'hard' }],
    },
    { kind: 'text', name: 'input.WORD', label: 'WORD', message: 'WORD', hidden: true },
  ],
};

describe('a form', () => {
  it('is one screen, checked as typed, with defaults', async () => {
    const terminal = open([form]);
    await terminal.waitFor('Host to \\x1b[31mdrain');
    expect(terminal.screen()).toMatch(/> HOST\s*\n.*Host to.*\n {2}COUNT {2}\(3\)\s*\n {2}MODE\s*\n {2}WORD/);
    terminal.send('lb 2');
    await terminal.waitFor('Expected: letters and digits.');
    terminal.send(`${KEYS.backspace.repeat(2)}2${KEYS.enter}`);
    await terminal.waitFor('> COUNT');
    terminal.send(KEYS.enter);
    await terminal.waitFor('> MODE');
    // Right, twice: the second choice.
    terminal.send('\x1b[C');
    await terminal.waitFor('soft');
    terminal.send('\x1b[C');
    await terminal.waitFor('hard');
    terminal.send(`\t${KEYS.enter}`);
    await terminal.waitFor('Expected: letters and digits.');
    terminal.send('secret');
    await terminal.waitFor('******');
    terminal.send(KEYS.up + KEYS.up + KEYS.up);
    await terminal.waitFor('> HOST');
    expect(terminal.screen()).toContain('> HOST   lb2');
    terminal.send(KEYS.down + KEYS.down + KEYS.down + KEYS.enter);
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    expect(reports(terminal)[1]).toEqual({
      kind: 'answer',
      value: ['lb2', '3', 'hard', 'secret'],
      assurance: 'client',
    });
    expect(terminal.screen()).not.toContain('secret\n');
  });

  it('ends with Ctrl-D and Ctrl-C like a question', async () => {
    const ended = open([form]);
    await ended.waitFor('> HOST');
    ended.send(KEYS.ctrlD);
    await ended.exit;
    expect(reports(ended).slice(1)).toEqual([
      { kind: 'eof' },
      { unanswered: ['input.HOST', 'input.COUNT', 'input.MODE', 'input.WORD'] },
    ]);
    const interrupted = open([form]);
    await interrupted.waitFor('> HOST');
    interrupted.send(KEYS.ctrlC);
    await interrupted.exit;
    expect(reports(interrupted)[1]).toEqual({ kind: 'interrupt', exitCode: null });
  });

  it('is asked line by line on a simple terminal', async () => {
    const terminal = open([form], { TERM: 'dumb' });
    await terminal.waitFor('HOST');
    terminal.send(`lb2${KEYS.enter}`);
    await terminal.waitFor('COUNT (default 3)');
    terminal.send(KEYS.enter);
    await terminal.waitFor('MODE');
    terminal.send(`hard${KEYS.enter}`);
    await terminal.waitFor('WORD');
    terminal.send(`secret${KEYS.enter}`);
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    expect(reports(terminal)[1]).toMatchObject({ value: ['lb2', '3', 'hard', 'secret'] });
  });
});

describe('rich prompts', () => {
  it('ask everything by keys', async () => {
    const terminal = open(tasks);
    await answerByKeys(terminal);
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    expect(reports(terminal)).toEqual([
      { backEnd: 'rich', interactive: true },
      ...answers('client'),
      { unanswered: [] },
    ]);
    const asked = terminal
      .screen()
      .split('\n')
      .filter((line) => !line.startsWith('OUT'));
    expect(asked).toEqual([
      '✔ Run \\x1b[31mit? (yes or no) y',
      '✔ Which version? 1.2.0',
      '✔ Where to? production',
      '✔ What now? Abort',
      '✔ This deletes it.',
      'Type drop it to continue: drop it',
      '✔ How did it go? it went well',
    ]);
  });

  it('show what an answer lacks while it is typed', async () => {
    const terminal = open([text]);
    await terminal.waitFor('Which version?');
    terminal.send('1');
    await terminal.waitFor('2 more characters, please.');
    expect(terminal.screen()).toMatch(/\? Which version\? 1\n2 more characters, please\.$/);
    terminal.send('.2');
    await terminal.waitFor('1.2');
    terminal.send(KEYS.enter);
    await terminal.exit;
    expect(reports(terminal)[1]).toEqual({ kind: 'answer', value: '1.2', assurance: 'client' });
  });

  it('choose by arrow keys, confirm by default, and refuse a phrase by an empty line', async () => {
    const terminal = open([
      tasks[2]!,
      { kind: 'confirm', name: 'run', message: 'Go on?', default: false },
      tasks[4]!,
    ]);
    await terminal.waitFor('Where to?');
    terminal.send(KEYS.down + KEYS.down + KEYS.up + KEYS.enter);
    await terminal.waitFor('Go on? (y/N)');
    terminal.send(KEYS.enter);
    await terminal.waitFor('Press Enter to refuse.');
    terminal.send(KEYS.enter);
    await terminal.exit;
    expect(reports(terminal).slice(1, -1)).toEqual(
      ['staging', false, false].map((value) => ({ kind: 'answer', value, assurance: 'client' })),
    );
  });

  it('distinguish Ctrl-D from Ctrl-C, and end with 130 at the second', async () => {
    const terminal = open([text, tasks[2]!, tasks[0]!, text, plainText]);
    for (const [prompt, key] of [
      ['Which version?', KEYS.ctrlD],
      ['Where to?', KEYS.ctrlC],
      ['Run', `y${KEYS.enter}`],
      ['Which version?', KEYS.ctrlC],
      ['Anything else?', KEYS.ctrlC],
    ] as const) {
      await terminal.waitFor(prompt);
      terminal.send(key);
    }
    expect(await terminal.exit).toEqual({ exitCode: 130, signal: 0 });
    expect(reports(terminal).slice(1)).toEqual([
      { kind: 'eof' },
      { kind: 'interrupt', exitCode: null },
      { kind: 'answer', value: true, assurance: 'client' },
      { kind: 'interrupt', exitCode: null },
      { kind: 'interrupt', exitCode: 130 },
      { unanswered: ['2.answer'] },
    ]);
  });

  it.each([
    ['SIGINT', null, 0],
    ['SIGTERM', 143, 143],
    ['SIGHUP', 129, 129],
  ] as const)('end on %s, with the cursor and the line mode back', async (signal, exitCode, code) => {
    const terminal = open([tasks[2]!]);
    await terminal.waitFor('Where to?');
    terminal.kill(signal);
    expect(await terminal.exit).toEqual({ exitCode: code, signal: 0 });
    expect(reports(terminal)[1]).toEqual({ kind: 'interrupt', exitCode });
    expect(terminal.raw().lastIndexOf('\x1b[?25h')).toBeGreaterThan(terminal.raw().lastIndexOf('\x1b[?25l'));
  });

  it.runIf(existsSync('/bin/bash'))('continue after Ctrl-Z and fg', async () => {
    const terminal = openTerminal('/bin/bash', {
      args: ['--norc', '--noprofile', '-i'],
      env: { PS1: 'shell$ ' },
    });
    await terminal.waitFor('shell$');
    terminal.send(`${process.execPath} ${program.path} '${JSON.stringify({ tasks: [text] })}'\r`);
    await terminal.waitFor('backEnd');
    await terminal.waitFor('? Which version?');
    terminal.send(KEYS.ctrlZ);
    await terminal.waitFor('Stopped');
    await terminal.waitFor('shell$');
    terminal.send('fg\r');
    await terminal.waitFor('program.mjs');
    terminal.send('1.2.0');
    await terminal.waitFor('1.2.0');
    terminal.send(KEYS.enter);
    await terminal.waitFor('"value":"1.2.0"');
  });

  it('open the editor on an empty line', async () => {
    const script = join(folder, 'editor.sh');
    writeFileSync(script, 'cat "$1"; printf " what I did" >> "$1"\n');
    const terminal = open(
      [{ kind: 'editor', name: 'comment', message: 'How did it go?', initial: 'This is', minLength: 15 }],
      { VISUAL: `sh ${script}` },
    );
    await terminal.waitFor('An empty line opens the editor.');
    terminal.send(KEYS.enter);
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    expect(reports(terminal)[1]).toEqual({
      kind: 'answer',
      value: 'This is what I did',
      assurance: 'client',
    });
  });

  it('leave Ctrl-C to the editor, and ask again when it failed', async () => {
    const script = join(folder, 'stuck.sh');
    writeFileSync(script, 'trap "exit 1" INT; echo editing; sleep 60 & wait\n');
    const terminal = open([{ kind: 'editor', name: 'comment', message: 'How did it go?' }], {
      EDITOR: `sh ${script}`,
    });
    await terminal.waitFor('An empty line opens the editor.');
    terminal.send(KEYS.enter);
    await terminal.waitFor('editing');
    terminal.send(KEYS.ctrlC);
    await terminal.waitFor('The editor ended with 1; its text was not used.');
    terminal.send(`well${KEYS.enter}`);
    await terminal.exit;
    expect(reports(terminal)[1]).toEqual({ kind: 'answer', value: 'well', assurance: 'client' });
  });

  it.each([
    [{ NO_COLOR: '1' }, {}],
    [{}, { color: 'never' as const }],
  ])('use no colours with %o %o', async (env, flags) => {
    const terminal = open(tasks, env, flags);
    await answerByKeys(terminal);
    await terminal.exit;
    expect(terminal.raw()).not.toMatch(/\x1b\[[\d;]*m/);
    expect(reports(terminal).slice(1, -1)).toEqual(answers('client'));
  });
});

describe('plain prompts', () => {
  it.each<Record<string, string>>([{ TERM: 'dumb' }, { ACCESSIBLE: '1' }])(
    'ask everything with %o without one control sequence',
    async (env) => {
      const terminal = open(tasks, { ...env, FORCE_COLOR: '1' });
      await answerByKeys(terminal);
      expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
      expect(terminal.raw()).not.toContain('\x1b');
      expect(reports(terminal)).toEqual([
        { backEnd: 'plain', interactive: true },
        ...answers('client'),
        { unanswered: [] },
      ]);
    },
  );

  it('distinguish Ctrl-C from Ctrl-D, and end with 130 at the second', async () => {
    const terminal = open([text, tasks[0]!, text, plainText], { TERM: 'dumb' });
    for (const [prompt, key] of [
      ['Which version?\n> ', KEYS.ctrlC],
      ['(yes or no)\n> ', `y${KEYS.enter}`],
      ['Which version?\n> ', KEYS.ctrlC],
      ['Anything else?\n> ', KEYS.ctrlC],
    ] as const) {
      await terminal.waitFor(prompt);
      terminal.send(key);
    }
    expect(await terminal.exit).toEqual({ exitCode: 130, signal: 0 });
    expect(reports(terminal).slice(1, -1)).toEqual([
      { kind: 'interrupt', exitCode: null },
      { kind: 'answer', value: true, assurance: 'client' },
      { kind: 'interrupt', exitCode: null },
      { kind: 'interrupt', exitCode: 130 },
    ]);
  });

  it('treat Ctrl-D as the end of all input', async () => {
    const terminal = open([text, plainText], { TERM: 'dumb' });
    await terminal.waitFor('Which version?\n> ');
    terminal.send(KEYS.ctrlD);
    await terminal.exit;
    expect(reports(terminal).slice(1)).toEqual([
      { kind: 'eof' },
      { kind: 'eof' },
      { unanswered: ['2.answer', '2.more'] },
    ]);
  });

  it('open the editor that a simple terminal can show', async () => {
    const script = join(folder, 'append.sh');
    writeFileSync(script, 'printf "by editor" > "$1"\n');
    const terminal = open([{ kind: 'editor', name: 'comment', message: 'How did it go?' }], {
      TERM: 'dumb',
      VISUAL: 'false',
      EDITOR: `sh ${script}`,
    });
    await terminal.waitFor('> ');
    terminal.send(KEYS.enter);
    await terminal.exit;
    expect(reports(terminal)[1]).toEqual({ kind: 'answer', value: 'by editor', assurance: 'client' });
  });
});

describe.each([
  ['rich', 'xterm-256color'],
  ['plain', 'dumb'],
])('work under %s prompts', (_name, TERM) => {
  it('is stopped by one Ctrl-C, and the run continues', async () => {
    const terminal = open([text, { kind: 'work', stopMs: 1 }, text], { TERM });
    await terminal.waitFor('Which version?');
    terminal.send(`1.2.0${KEYS.enter}`);
    await terminal.waitFor('WORKING');
    terminal.send(KEYS.ctrlC);
    await terminal.waitFor('"interrupted":true');
    await terminal.waitFor('Which version?');
    terminal.send(`1.2.1${KEYS.enter}`);
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    expect(reports(terminal).slice(2, -1)).toEqual([
      { work: 'stopped', interrupted: true },
      { kind: 'answer', value: '1.2.1', assurance: 'client' },
    ]);
  });

  it('is killed by the second Ctrl-C, which ends with 130', async () => {
    const terminal = open([{ kind: 'work', stopMs: 60_000 }, text], { TERM });
    await terminal.waitFor('WORKING');
    terminal.send(KEYS.ctrlC);
    await terminal.waitFor('STOPPING');
    terminal.send(KEYS.ctrlC);
    expect(await terminal.exit).toEqual({ exitCode: 130, signal: 0 });
    expect(reports(terminal)[1]).toEqual({ work: 'killed', interrupted: true });
  });
});

it.each(['xterm-256color', 'dumb'])('keep every line of a pasted answer (%s)', async (TERM) => {
  const comment: Task = { kind: 'editor', name: 'comment', step, message: 'How did it go?', minLength: 5 };
  const terminal = open([comment, plainText], { TERM });
  await terminal.waitFor('How did it go?');
  terminal.send(`all\rwent well\rand the light came on\r`);
  await terminal.waitFor('Anything else?');
  terminal.send(`no${KEYS.enter}`);
  expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
  expect(reports(terminal).slice(1, 3)).toEqual([
    { kind: 'answer', value: 'all\nwent well\nand the light came on', assurance: 'client' },
    { kind: 'answer', value: 'no', assurance: 'client' },
  ]);
});

it('asks no question on a terminal under CI', async () => {
  const terminal = open([text], { CI: 'true' });
  await terminal.exit;
  expect(reports(terminal)).toEqual([
    { backEnd: 'none', interactive: false },
    { kind: 'unanswered' },
    { unanswered: ['2.answer'] },
  ]);
});

it.each(['xterm-256color', 'dumb'])(
  'leaves the terminal to a command that has it for itself (%s)',
  async (TERM) => {
    const command = 'echo ready; read a; read b; echo "got $a $b"';
    const terminal = open([text, { kind: 'child', command }, plainText], { TERM });
    await terminal.waitFor('Which version?');
    terminal.send(`1.2.0${KEYS.enter}`);
    await terminal.waitFor('ready');
    terminal.send(`one${KEYS.enter}`);
    await terminal.waitFor('one');
    terminal.send(`two${KEYS.enter}`);
    await terminal.waitFor('got one two');
    await terminal.waitFor('Anything else?');
    terminal.send(`no${KEYS.enter}`);
    await terminal.exit;
    expect(reports(terminal).slice(2, 4)).toEqual([
      { child: 0 },
      { kind: 'answer', value: 'no', assurance: 'client' },
    ]);
  },
);

it('prints a message that is taller than the terminal once, above the question', async () => {
  const draft = Array.from({ length: 40 }, (_, at) => `line ${at} \x1b[31m`).join('\n');
  const terminal = open([
    { kind: 'editor', name: 'proposal', step, message: `${draft}\nIs it right?` },
    { kind: 'text', name: 'long', step, message: 'word '.repeat(900) },
  ]);
  await terminal.waitFor('Is it right?');
  for (const key of 'yes') {
    terminal.send(key);
    await terminal.waitFor(key);
  }
  terminal.send(KEYS.enter);
  await terminal.waitFor('Your answer:');
  for (const key of 'no!') {
    terminal.send(key);
    await terminal.waitFor(key);
  }
  terminal.send(KEYS.enter);
  expect((await terminal.exit).exitCode).toBe(0);
  const values = reports(terminal).filter((report) => (report as { kind?: string }).kind === 'answer');
  expect(values).toMatchObject([{ value: 'yes' }, { value: 'no!' }]);
  expect(terminal.screen().match(/line 0 \\x1b\[31m/g)).toHaveLength(1);
  expect(terminal.screen().match(/\bword/g)).toHaveLength(900);
});
