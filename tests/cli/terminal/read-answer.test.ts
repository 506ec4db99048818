import { describe, expect, it } from 'vitest';
import { type Question, readAnswer } from '../../../src/cli/terminal/question.ts';

const base = { name: 'q', message: 'Well?' };
const good = (value: string | boolean) => ({ ok: true, value });
const bad = (reason: string) => ({ ok: false, reason });

describe('a confirmation', () => {
  const question: Question = { kind: 'confirm', ...base };
  it.each(['y', 'Yes', ' TRUE '])('reads %j as yes', (line) =>
    expect(readAnswer(question, line)).toEqual(good(true)),
  );
  it.each(['n', 'NO', 'false'])('reads %j as no', (line) =>
    expect(readAnswer(question, line)).toEqual(good(false)),
  );
  it.each(['', 'ok', 'yep', '1'])('rejects %j', (line) =>
    expect(readAnswer(question, line)).toEqual(bad('Answer yes or no.')),
  );
  it('reads an empty line as its default', () => {
    expect(readAnswer({ ...question, default: false }, '')).toEqual(good(false));
    expect(readAnswer({ ...question, default: true }, ' ')).toEqual(good(true));
  });
});

describe('a choice', () => {
  const options = [
    { value: 'staging' },
    { value: 'prod', label: 'Production', key: 'p' },
    { value: 'P', label: 'Other' },
  ];
  const question: Question = { kind: 'choice', ...base, options };
  it.each([
    ['staging', 'staging'],
    ['1', 'staging'],
    [' STAGING ', 'staging'],
    ['production', 'prod'],
    ['p', 'prod'],
    ['P', 'P'],
    ['3', 'P'],
  ])('reads %j as %s', (line, value) => expect(readAnswer(question, line)).toEqual(good(value)));
  it.each(['', '2', 'stag'])('rejects %j', (line) =>
    expect(readAnswer(question, line)).toEqual(bad('Answer one of: 1 (staging), p (Production), 3 (Other).')),
  );
  it('reads an empty line as its default', () => {
    expect(readAnswer({ ...question, default: 'prod' }, '')).toEqual(good('prod'));
  });
  it('prefers the value, so that a number among the options is never an index', () => {
    const numbers: Question = { kind: 'choice', ...base, options: [{ value: '2' }, { value: '1' }] };
    expect(readAnswer(numbers, '1')).toEqual(good('1'));
    expect(readAnswer(numbers, '3')).toEqual(bad('Answer one of: 2, 1.'));
  });
});

describe('a phrase', () => {
  const question: Question = { kind: 'phrase', ...base, phrase: 'drop it' };
  it('has to be exact, and nothing is a refusal', () => {
    expect(readAnswer(question, 'drop it')).toEqual(good(true));
    expect(readAnswer(question, '')).toEqual(good(false));
  });
  it.each(['drop it ', 'Drop it', 'yes', ' '])('rejects %j', (line) =>
    expect(readAnswer(question, line)).toEqual(
      bad('That is not the phrase. Type it exactly, or press Enter to refuse.'),
    ),
  );
});

describe('a text', () => {
  const check = (value: string) => value.length > 2 || 'Too short.';
  it.each(['text', 'editor'] as const)('of kind %s is checked', (kind) => {
    expect(readAnswer({ kind, ...base, check }, 'abc')).toEqual(good('abc'));
    expect(readAnswer({ kind, ...base, check }, 'ab')).toEqual(bad('Too short.'));
    expect(readAnswer({ kind, ...base }, ' as typed ')).toEqual(good(' as typed '));
  });
  it('reads an empty line as its default, and checks that too', () => {
    expect(readAnswer({ kind: 'text', ...base, check, default: 'abc' }, '')).toEqual(good('abc'));
    expect(readAnswer({ kind: 'text', ...base, check, default: 'a' }, '')).toEqual(bad('Too short.'));
  });
});
