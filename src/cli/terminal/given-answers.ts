import { KairosError } from '../../base/errors.ts';

/**
 * Answers as written: a text for a step's only question, or texts by the question's name. All scalars are
 * texts.
 */
export type GivenAnswers = ReadonlyMap<string, string | ReadonlyMap<string, string>>;

/** The error for an invalid answers file. */
export function unusableAnswers(path: string, reason: string): KairosError {
  return new KairosError('INVALID_INPUT', `The answers file ${path} cannot be used: ${reason}.`, {
    hint: 'Write a mapping like {answers: {1: yes, "Label of a step": an answer}}.',
  });
}
