import { expect, it } from 'vitest';
import {
  answeringYes,
  createAnswersAsk,
  unansweredBackEnd,
} from '../../../src/cli/terminal/choose-prompter.ts';
import type { Question } from '../../../src/cli/terminal/question.ts';

const { signal } = new AbortController();
const confirm: Question = { kind: 'confirm', name: 'run', message: 'Run?', step: { index: 1, label: 'A' } };
const phrase: Question = { kind: 'phrase', name: 'phrase', message: 'Sure?', phrase: 'drop it' };

it('leaves everything unanswered without a person', async () => {
  expect(await unansweredBackEnd(confirm, signal)).toEqual({ kind: 'unanswered' });
});

it('gives each answer of a file once, as a claim', async () => {
  const ask = createAnswersAsk(
    new Map([
      ['1.run', 'yes'],
      ['phrase', 'drop it'],
    ]),
  );
  expect(await ask(confirm, signal)).toEqual({ kind: 'answer', value: true, assurance: 'claimed' });
  expect(await ask(confirm, signal)).toEqual({ kind: 'unanswered' });
  expect(await ask(phrase, signal)).toEqual({ kind: 'answer', value: true, assurance: 'claimed' });
});

it("rejects an answer that the question doesn't allow", async () => {
  const ask = createAnswersAsk(new Map([['1.run', 'maybe']]));
  await expect(ask(confirm, signal)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: 'The answer to 1.run is invalid: Answer yes or no.',
    data: { id: '1.run', kind: 'confirm' },
  });
});

it('confirms, but answers no phrases, texts or questions that need a person', async () => {
  const ask = answeringYes(unansweredBackEnd);
  expect(await ask(confirm, signal)).toEqual({ kind: 'answer', value: true, assurance: 'claimed' });
  expect(await ask({ ...confirm, byHand: true }, signal)).toEqual({ kind: 'unanswered' });
  expect(await ask(phrase, signal)).toEqual({ kind: 'unanswered' });
  expect(await ask({ kind: 'text', name: 't', message: '' }, signal)).toEqual({ kind: 'unanswered' });
});
