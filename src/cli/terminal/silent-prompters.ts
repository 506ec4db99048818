import { KairosError } from '../../base/errors.ts';
import type { Ask } from './prompter.ts';
import { describeQuestion, questionId } from './question.ts';
import { readAnswer } from './read-answer.ts';

/** Nobody is there: every question stays unanswered. */
export const askNobody: Ask = async () => ({ kind: 'unanswered' });

/**
 * Answers from a file, by question id (see `matchAnswers`), each of them once: a question asked again stays unanswered.
 * Throws INVALID_INPUT for an answer that the question at hand does not accept.
 */
export function createAnswersAsk(answers: ReadonlyMap<string, string>): Ask {
  const left = new Map(answers);
  return async (question) => {
    const id = questionId(question);
    const text = left.get(id);
    if (text === undefined) return { kind: 'unanswered' };
    left.delete(id);
    const reading = readAnswer(question, text);
    if (reading.ok) return { kind: 'answer', value: reading.value, assurance: 'claimed' };
    throw new KairosError('INVALID_INPUT', `The answer given to ${id} will not do: ${reading.reason}`, {
      hint: 'Correct it in the answers file and resume the run.',
      data: describeQuestion(question),
    });
  };
}

/** `--yes`: gives every confirmation that need not come by hand, as a claim; passes everything else on. */
export function answeringYes(ask: Ask): Ask {
  return async (question, signal) => {
    if (question.kind !== 'confirm' || question.byHand) return ask(question, signal);
    return { kind: 'answer', value: true, assurance: 'claimed' };
  };
}
