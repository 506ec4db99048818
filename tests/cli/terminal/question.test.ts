import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  describeQuestion,
  keyedOptions,
  questionId,
  readAnswer,
} from '../../../src/cli/terminal/question.ts';

const step = { index: 3, label: 'Ship it' };

it('names questions by step and name', () => {
  expect(questionId({ name: 'answer', step })).toBe('3.answer');
  expect(questionId({ name: 'trust' })).toBe('trust');
});

it('describes each kind of question as data', () => {
  const message = 'Well?';
  expect(
    describeQuestion({ kind: 'confirm', name: 'run', step, message, default: false, byHand: true }),
  ).toEqual({ id: '3.run', kind: 'confirm', message, step, default: false });
  expect(describeQuestion({ kind: 'text', name: 'answer', message, check: () => 'never' })).toEqual({
    id: 'answer',
    kind: 'text',
    message,
  });
  expect(describeQuestion({ kind: 'phrase', name: 'phrase', step, message, phrase: 'drop it' })).toEqual({
    id: '3.phrase',
    kind: 'phrase',
    message,
    step,
    phrase: 'drop it',
  });
  expect(
    describeQuestion({
      kind: 'action',
      name: 'action',
      message,
      options: [{ value: 'retry', label: 'Again', key: 't' }],
    }),
  ).toEqual({
    id: 'action',
    kind: 'action',
    message,
    options: [{ value: 'retry', label: 'Again', key: 't' }],
  });
});

it('numbers options, unless the options are numbers', () => {
  expect(keyedOptions([{ value: 'a' }, { value: 'b', label: 'B', key: 'x' }])).toEqual([
    { value: 'a', label: 'a', key: '1' },
    { value: 'b', label: 'B', key: 'x' },
  ]);
  expect(keyedOptions([{ value: '2' }, { value: '1' }]).map(({ key }) => key)).toEqual(['2', '1']);
  expect(keyedOptions([{ value: 'a', label: '2' }, { value: 'b' }]).map(({ key }) => key)).toEqual([
    'a',
    'b',
  ]);
});

it('lets every option be chosen by its value, and by its key', () => {
  const values = fc.uniqueArray(fc.constantFrom('1', '2', '3', 'a', 'b', 'A', 'yes', '10', ' 1'.trim()), {
    minLength: 1,
  });
  fc.assert(
    fc.property(values, (list) => {
      const options = list.map((value) => ({ value }));
      for (const { value, key } of keyedOptions(options)) {
        for (const line of [value, key]) {
          expect(readAnswer({ kind: 'choice', name: 'c', message: '', options }, line)).toEqual({
            ok: true,
            value,
          });
        }
      }
    }),
  );
});
