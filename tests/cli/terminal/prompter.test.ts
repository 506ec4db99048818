import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { watchSignals } from '../../../src/cli/terminal/interrupt.ts';
import {
  type AskBackEnd,
  type BackEndReply,
  createPrompter,
  STOP_ACTIONS,
} from '../../../src/cli/terminal/prompter.ts';

function setup(ask: AskBackEnd) {
  const source = new EventEmitter();
  const interrupts = watchSignals(source);
  return {
    source,
    interrupts,
    prompter: createPrompter({ backEnd: 'plain', interactive: true, interrupts, ask }),
  };
}

const question = { name: 'q', message: 'Well?' };

it('gives the back end the kind of the question', async () => {
  const kinds: string[] = [];
  const { prompter } = setup(async ({ kind }) => {
    kinds.push(kind);
    return { kind: 'answer', value: 'x', assurance: 'client' };
  });
  await prompter.confirm(question);
  expect(await prompter.text(question)).toEqual({ kind: 'answer', value: 'x', assurance: 'client' });
  await prompter.choice({ ...question, options: [{ value: 'x' }] });
  await prompter.editor(question);
  await prompter.phrase({ ...question, phrase: 'x' });
  await prompter.action({ ...question, options: Object.values(STOP_ACTIONS) });
  expect(kinds).toEqual(['confirm', 'text', 'choice', 'editor', 'phrase', 'action']);
});

it('keeps the questions that got no answer', async () => {
  const replies: BackEndReply[] = [
    { kind: 'eof' },
    { kind: 'unanswered' },
    { kind: 'interrupt' },
    { kind: 'answer', value: 'x', assurance: 'claimed' },
  ];
  const { prompter } = setup(async () => replies.shift() ?? { kind: 'eof' });
  expect(await prompter.text({ ...question, name: 'a' })).toEqual({ kind: 'eof' });
  expect(await prompter.text({ ...question, name: 'b' })).toEqual({ kind: 'unanswered' });
  expect(await prompter.text({ ...question, name: 'c' })).toEqual({ kind: 'interrupt', exitCode: null });
  expect(await prompter.text({ ...question, name: 'd' })).toEqual({
    kind: 'answer',
    value: 'x',
    assurance: 'claimed',
  });
  expect(prompter.unanswered).toEqual([
    { id: 'a', kind: 'text', message: 'Well?' },
    { id: 'b', kind: 'text', message: 'Well?' },
  ]);
});

it('counts Ctrl-C as a key and as a signal alike, one each', async () => {
  const byKey = setup(async () => ({ kind: 'interrupt' }));
  expect(await byKey.prompter.text(question)).toEqual({ kind: 'interrupt', exitCode: null });
  expect(await byKey.prompter.text(question)).toEqual({ kind: 'interrupt', exitCode: 130 });

  const bySignal = setup(
    (_question, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'interrupt' }))),
  );
  for (const exitCode of [null, 130]) {
    const asked = bySignal.prompter.text(question);
    bySignal.source.emit('SIGINT');
    expect(await asked).toEqual({ kind: 'interrupt', exitCode });
  }
});

it('asks nothing any more once the program has to end', async () => {
  let asked = 0;
  const { source, prompter } = setup(async () => {
    asked += 1;
    return { kind: 'answer', value: true, assurance: 'client' };
  });
  source.emit('SIGTERM');
  expect(await prompter.confirm(question)).toEqual({ kind: 'interrupt', exitCode: 143 });
  expect(await prompter.confirm(question)).toEqual({ kind: 'interrupt', exitCode: 143 });
  expect(asked).toBe(0);
});

it('forgets a first Ctrl-C when the next question is answered', async () => {
  const replies: BackEndReply[] = [
    { kind: 'interrupt' },
    { kind: 'answer', value: true, assurance: 'client' },
    { kind: 'interrupt' },
  ];
  const { prompter } = setup(async () => replies.shift() ?? { kind: 'eof' });
  await prompter.confirm(question);
  await prompter.confirm(question);
  expect(await prompter.confirm(question)).toEqual({ kind: 'interrupt', exitCode: null });
});
