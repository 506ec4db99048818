import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { EditText } from '../../../src/cli/terminal/editor.ts';
import { PASTE_MS } from '../../../src/cli/terminal/line-reader.ts';
import { createPlainAsk } from '../../../src/cli/terminal/plain-prompter.ts';
import type { Question } from '../../../src/cli/terminal/question.ts';

function setup(options: { terminal: boolean; edit?: EditText; patienceMs?: number }) {
  const input = new PassThrough();
  const output = new PassThrough();
  const plain = createPlainAsk({ edit: null, ...options, input, output });
  return { ...plain, input, printed: () => String(output.read() ?? '') };
}

const { signal } = new AbortController();
const step = { index: 1, label: 'A' };
const text: Question = { kind: 'text', name: 'answer', message: 'Which one?', step };
const check = (value: string) => value.length > 3 || 'Too short.';

it('prints each kind of question in words', async () => {
  const { ask, input, printed } = setup({ terminal: false });
  input.write('y\n\n1.0\nsome text\nb\ndrop\n');
  await ask({ kind: 'confirm', name: 'c', message: 'Run it?\x1b[2J' }, signal);
  await ask({ kind: 'confirm', name: 'c', message: 'Two\nlines?', default: true }, signal);
  await ask({ kind: 'text', name: 't', message: 'Version', default: '0.1' }, signal);
  await ask({ kind: 'editor', name: 'e', message: 'Comment' }, signal);
  await ask(
    {
      kind: 'choice',
      name: 'o',
      message: 'Where?',
      options: [{ value: 'a\x07' }, { value: 'b' }],
      default: 'b',
    },
    signal,
  );
  await ask({ kind: 'phrase', name: 'p', message: 'Sure?', phrase: 'drop' }, signal);
  expect(printed()).toBe(
    [
      'Run it?\\x1b[2J (yes or no)',
      'Two\nlines? (yes or no, default yes)',
      'Version (default 0.1)',
      'Comment (one line; """ opens and closes several)',
      'Where?\n  1) a\\x07\n  2) b (default)',
      'Sure?\nType this to continue, or press Enter to refuse: drop\n',
    ].join('\n'),
  );
});

it('asks again at a terminal, and its answers count as a client', async () => {
  const { ask, input, printed } = setup({ terminal: true });
  input.write('ab\n');
  setTimeout(() => input.write('abcd\n'), 3 * PASTE_MS);
  expect(await ask({ ...text, kind: 'text', check }, signal)).toEqual({
    kind: 'answer',
    value: 'abcd',
    assurance: 'client',
  });
  expect(printed()).toBe('Which one?\n> Too short.\n> ');
});

it.each(['text', 'editor'] as const)(
  'reads a pasted text of several lines as one answer: %s',
  async (kind) => {
    const { ask, input } = setup({ terminal: true });
    input.write('the first line\nand the second\n');
    const reply = { kind: 'answer', value: 'the first line\nand the second', assurance: 'client' };
    expect(await ask({ name: 'answer', message: 'Which one?', step, kind, check }, signal)).toEqual(reply);
  },
);

it('refuses a wrong answer from a pipe', async () => {
  const { ask, input } = setup({ terminal: false });
  input.write('ab\nabcd\n');
  await expect(ask({ ...text, kind: 'text', check }, signal)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: 'The answer on standard input to 1.answer is invalid: Too short.',
    data: { id: '1.answer', kind: 'text', message: 'Which one?', step },
  });
});

it('reads several lines between two fences, and none when the second is missing', async () => {
  const { ask, input } = setup({ terminal: false });
  const editor: Question = { kind: 'editor', name: 'comment', message: 'Say', check };
  input.end('"""\none\n\ntwo\n"""\njust one line\n"""\nhalf');
  expect(await ask(editor, signal)).toEqual({ kind: 'answer', value: 'one\n\ntwo', assurance: 'claimed' });
  expect(await ask(editor, signal)).toEqual({ kind: 'answer', value: 'just one line', assurance: 'claimed' });
  expect(await ask(editor, signal)).toEqual({ kind: 'eof' });
});

it('opens the editor on an empty line at a terminal, until its text will do', async () => {
  const drafts: string[] = [];
  const results = [
    { kind: 'failed' as const, reason: 'The editor ended with 1; its text was not used.' },
    { kind: 'text' as const, text: 'ab' },
    { kind: 'text' as const, text: 'ab\ncd' },
  ];
  const edit: EditText = async (draft) => {
    drafts.push(draft);
    return results.shift() ?? { kind: 'text', text: '' };
  };
  const { ask, input, printed } = setup({ terminal: true, edit });
  input.write('\n\n\n');
  expect(
    await ask({ kind: 'editor', name: 'comment', message: 'Say', initial: 'start', check }, signal),
  ).toEqual({ kind: 'answer', value: 'ab\ncd', assurance: 'client' });
  expect(drafts).toEqual(['start', 'start', 'ab']);
  expect(printed()).toBe(
    'Say (one line; an empty line opens the editor, """ opens and closes several)\n' +
      '> The editor ended with 1; its text was not used.\n> Too short.\n> ',
  );
});

it('never opens an editor for a pipe', async () => {
  const { ask, input } = setup({
    terminal: false,
    edit: async () => ({ kind: 'text', text: 'from the editor' }),
  });
  input.write('\n');
  expect(await ask({ kind: 'editor', name: 'comment', message: 'Say' }, signal)).toEqual({
    kind: 'answer',
    value: '',
    assurance: 'claimed',
  });
});

it('leaves a question unanswered when the pipe stays silent, and differently when it ends', async () => {
  const { ask, input } = setup({ terminal: false, patienceMs: 20 });
  expect(await ask(text, signal)).toEqual({ kind: 'unanswered' });
  input.end('last');
  expect(await ask(text, signal)).toEqual({ kind: 'answer', value: 'last', assurance: 'claimed' });
  expect(await ask(text, signal)).toEqual({ kind: 'eof' });
});

it('has endless patience with a person', async () => {
  const { ask, input } = setup({ terminal: true, patienceMs: 5 });
  const asked = ask(text, signal);
  setTimeout(() => input.write('here\n'), 40);
  expect(await asked).toEqual({ kind: 'answer', value: 'here', assurance: 'client' });
});

it('gives up when interrupted', async () => {
  const { ask, printed } = setup({ terminal: true });
  const controller = new AbortController();
  const asked = ask(text, controller.signal);
  controller.abort();
  expect(await asked).toEqual({ kind: 'interrupt' });
  expect(printed()).toBe('Which one?\n> \n');
});
