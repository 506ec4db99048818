import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type AnswerProblems,
  type ExpectedQuestion,
  type GivenAnswers,
  matchAnswers,
} from '../../../src/cli/terminal/match-answers.ts';
import type { Question } from '../../../src/cli/terminal/question.ts';

const message = 'Well?';
const text = (index: number, label: string, name = 'answer'): Question => ({
  kind: 'text',
  name,
  message,
  step: { index, label },
});
const needed = (question: Question): ExpectedQuestion => ({ question, required: true });
const possible = (question: Question): ExpectedQuestion => ({ question, required: false });

const expected: ExpectedQuestion[] = [
  needed({ kind: 'confirm', name: 'run', message, step: { index: 1, label: 'Run the tests' } }),
  possible({
    kind: 'action',
    name: 'action',
    message,
    step: { index: 1, label: 'Run the tests' },
    options: [{ value: 'abort' }],
  }),
  needed({
    kind: 'text',
    name: 'answer',
    message,
    step: { index: 2, label: 'Version?' },
    check: (v) => v !== '' || 'Empty.',
  }),
  needed({ kind: 'confirm', name: 'run', message, step: { index: 3, label: 'Drop it' } }),
  needed({ kind: 'phrase', name: 'phrase', message, step: { index: 3, label: 'Drop it' }, phrase: 'drop' }),
  possible({ kind: 'editor', name: 'closing', message }),
];

function given(entries: Record<string, string | Record<string, string>>): GivenAnswers {
  return new Map(
    Object.entries(entries).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : new Map(Object.entries(value)),
    ]),
  );
}

function problems(entries: Parameters<typeof given>[0], against = expected): AnswerProblems {
  try {
    matchAnswers(given(entries), against);
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_INPUT', name: 'KairosError' });
    return (error as { data: AnswerProblems }).data;
  }
  throw new Error('matched');
}

const full = { '1.run': 'yes', '2.answer': '1.2.0', '3.run': 'yes', '3.phrase': 'drop' };

it.each([
  ['number', { 1: 'yes', 2: '1.2.0', 3: { run: 'yes', phrase: 'drop' } }],
  ['label', { 'Run the tests': 'yes', 'Version?': '1.2.0', 'Drop it': { run: 'yes', phrase: 'drop' } }],
  ['slug', { 'run-the-tests': 'yes', version: '1.2.0', 'drop-it': { run: 'yes', phrase: 'drop' } }],
  ['id', full],
])('finds steps by %s', (_name, entries) => {
  expect(Object.fromEntries(matchAnswers(given(entries), expected))).toEqual(full);
});

it('accepts answers to optional questions', () => {
  const more = { ...full, closing: 'All well.', '1.action': 'abort' };
  expect(Object.fromEntries(matchAnswers(given(more), expected))).toEqual(more);
});

it('reports everything that is wrong in one error', () => {
  const wrong = {
    1: 'maybe',
    9: 'x',
    'No such step': 'x',
    3: 'yes',
    'Drop it': { phrase: 'dorp', typo: 'x' },
    Version: 'x',
    4: {},
  };
  expect(problems(wrong)).toEqual({
    missing: [
      { id: '2.answer', kind: 'text', message, step: { index: 2, label: 'Version?' } },
      { id: '3.run', kind: 'confirm', message, step: { index: 3, label: 'Drop it' } },
    ],
    unknown: ['4', '9', 'No such step', 'Drop it.typo', 'Version'],
    ambiguous: [{ key: '3', ids: ['3.run', '3.phrase'] }],
    invalid: [
      { id: '1.run', reason: 'Answer yes or no.' },
      { id: '3.phrase', reason: 'That is not the phrase. Type it exactly, or press Enter to refuse.' },
    ],
  });
});

it('reports in words what is wrong and how steps are named', () => {
  expect(() => matchAnswers(given({ ...full, '2.answer': '', x: 'y' }), expected)).toThrow(
    'The answers do not fit this protocol:\n  unknown: x\n  not accepted: 2.answer: Empty.',
  );
});

it('refuses one question answered twice, and labels that two steps share', () => {
  expect(problems({ ...full, 1: 'no' }).ambiguous).toEqual([{ key: '1.run', ids: ['1.run'] }]);
  const twins = [needed(text(1, 'Same')), needed(text(2, 'Same'))];
  expect(problems({ Same: 'x' }, twins).ambiguous).toEqual([{ key: 'Same', ids: ['1.answer', '2.answer'] }]);
  expect(problems({ Same: { answer: 'x' } }, twins).ambiguous).toEqual([
    { key: 'Same.answer', ids: ['1.answer', '2.answer'] },
  ]);
});

it('does not guess when a number is the label of another step', () => {
  const steps = [needed(text(1, '2')), needed(text(2, 'Other'))];
  expect(problems({ 2: 'x' }, steps).ambiguous).toEqual([{ key: '2', ids: ['1.answer', '2.answer'] }]);
  expect(matchAnswers(given({ '1.answer': 'a', '2.answer': 'b' }), steps).size).toBe(2);
});

it('gives a bare text to the only question there is', () => {
  expect(matchAnswers(given({ 1: 'x' }), [possible(text(1, 'A'))])).toEqual(new Map([['1.answer', 'x']]));
});

it('accepts exactly the required answers, under any name of each step', () => {
  const labels = fc.uniqueArray(fc.constantFrom('Alpha step', 'Beta', 'Gamma!', 'デルタ', 'E e e'), {
    minLength: 1,
  });
  fc.assert(
    fc.property(labels, fc.infiniteStream(fc.nat(2)), fc.option(fc.nat()), (list, ways, left) => {
      const steps = list.map((label, at) => needed(text(at + 1, label)));
      const names = list.map(
        (label, at) => [String(at + 1), label, `${at + 1}.answer`][ways.next().value ?? 0] ?? label,
      );
      const omitted = left === null ? -1 : left % list.length;
      const entries = Object.fromEntries(
        names.filter((_name, at) => at !== omitted).map((name) => [name, 'x']),
      );
      if (omitted === -1) expect(matchAnswers(given(entries), steps).size).toBe(list.length);
      else expect(problems(entries, steps).missing.map(({ id }) => id)).toEqual([`${omitted + 1}.answer`]);
    }),
  );
});
