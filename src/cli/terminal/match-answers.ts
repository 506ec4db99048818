import { KairosError } from '../../base/errors.ts';
import { deriveSlug } from '../../protocol/identity.ts';
import { describeQuestion, type Question, type QuestionData, questionId, readAnswer } from './question.ts';

/** A question that the run will or may ask. */
export interface ExpectedQuestion {
  question: Question;
  /**
   * False: it may be asked (an action at a stop, a confirmation that `--yes` gives), so its answer is
   * optional.
   */
  required: boolean;
}

/** Everything that is wrong with an answers file: the `data` of the error. */
export interface AnswerProblems {
  missing: QuestionData[];
  unknown: string[];
  /** Keys that fit several questions, or a question answered by several keys. */
  ambiguous: { key: string; ids: string[] }[];
  invalid: { id: string; reason: string }[];
}

/**
 * Assigns each answer to its question, by id. A key is a question's id, or a step's number, label or slug of
 * its label. A text without a name goes to the only required question of the step, or to its only question.
 * Throws INVALID_INPUT with AnswerProblems for an answer that is missing, unknown, ambiguous or invalid.
 */
export function matchAnswers(
  given: GivenAnswers,
  expected: readonly ExpectedQuestion[],
): ReadonlyMap<string, string> {
  const problems: AnswerProblems = { missing: [], unknown: [], ambiguous: [], invalid: [] };
  const answers = new Map<string, string>();
  const byId = new Map(expected.map((item) => [questionId(item.question), item]));

  for (const [key, value] of given) {
    if (typeof value === 'string') {
      const ids = byId.has(key)
        ? [key]
        : questionsOf(key, expected).map(({ question }) => questionId(question));
      assign(key, ids, value);
      continue;
    }
    const steps = stepsOf(key, expected);
    for (const [name, text] of value) {
      const ids = steps.map((index) => `${index}.${name}`).filter((id) => byId.has(id));
      assign(`${key}.${name}`, ids, text);
    }
    if (value.size === 0) problems.unknown.push(key);
  }
  for (const [id, { question, required }] of byId) {
    if (required && !answers.has(id)) problems.missing.push(describeQuestion(question));
  }
  if (Object.values(problems).some((list) => list.length > 0)) throw misfit(problems);
  return answers;

  function assign(key: string, ids: string[], text: string): void {
    const [id] = ids;
    if (id === undefined) problems.unknown.push(key);
    else if (ids.length > 1 || answers.has(id)) problems.ambiguous.push({ key, ids });
    else {
      answers.set(id, text);
      const reading = readAnswer(byId.get(id)!.question, text);
      if (!reading.ok) problems.invalid.push({ id, reason: reading.reason });
    }
  }
}

/** Numbers of the steps that a key names: by number, else by label, else by the slug of the label. */
function stepsOf(key: string, expected: readonly ExpectedQuestion[]): number[] {
  const steps = new Map(
    expected.flatMap(({ question: { step } }) => (step === undefined ? [] : [[step.index, step.label]])),
  );
  const named = [...steps].filter(([index, label]) => String(index) === key || label === key);
  const found =
    named.length > 0 ? named : [...steps].filter(([, label]) => deriveSlug(label as string) === key);
  return found.map(([index]) => index as number);
}

/** The questions that a text under this key may answer. */
function questionsOf(key: string, expected: readonly ExpectedQuestion[]): ExpectedQuestion[] {
  return stepsOf(key, expected).flatMap((index) => {
    const all = expected.filter(({ question }) => question.step?.index === index);
    const required = all.filter((item) => item.required);
    return required.length > 0 ? required : all;
  });
}

function misfit(problems: AnswerProblems): KairosError {
  const where = ({ id, step, message }: QuestionData) =>
    `${id} (${step === undefined ? message : step.label})`;
  const lines = [
    ...problems.missing.map((question) => `missing: ${where(question)}`),
    ...problems.unknown.map((key) => `unknown: ${key}`),
    ...problems.ambiguous.map(({ key, ids }) => `ambiguous: ${key} (${ids.join(', ')})`),
    ...problems.invalid.map(({ id, reason }) => `not accepted: ${id}: ${reason}`),
  ];
  return new KairosError(
    'INVALID_INPUT',
    `The answers do not fit this protocol:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    {
      hint: 'Name a step by its number, its label or the slug of its label; where it asks several things, by the id shown.',
      data: problems,
    },
  );
}

/**
 * Answers as written: a text for a step's only question, or texts by the question's name. All scalars are
 * texts.
 */
export type GivenAnswers = ReadonlyMap<string, string | ReadonlyMap<string, string>>;

/** The error for an invalid answers file. */
export function unusableAnswers(path: string, reason: string): KairosError {
  return new KairosError('INVALID_INPUT', `The answers file ${path} cannot be used: ${reason}.`, {
    hint: 'Write a mapping like {answers: {1: yes, "Label of a step": an answer, input.TARGET_HOST: lb1}}.',
  });
}
