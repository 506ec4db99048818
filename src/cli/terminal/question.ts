import { escapeForTerminal } from '../../base/escape.ts';
import type { EditText } from './editor.ts';

/** Where in the protocol a question arises. */
export interface QuestionStep {
  /** 1-based. */
  index: number;
  label: string;
}

interface QuestionBase {
  /**
   * What is asked of this step, in a word that is the same in every run: `run`, `answer`, `comment`,
   * `phrase`.
   */
  name: string;
  /** Absent for questions about the whole run. */
  step?: QuestionStep;
  /** Raw text, author's text allowed: the back ends escape it. May have several lines. */
  message: string;
  /** In a form: the name of the line, and what it is for. */
  label?: string;
  hint?: string;
}

/** True for a valid answer, else what it lacks, in one line. Must be synchronous: it runs at every key. */
export type AnswerCheck = (value: string) => true | string;

export interface ConfirmQuestion extends QuestionBase {
  default?: boolean;
  /** `--yes` never answers it: trust, consequential acts. */
  byHand?: boolean;
}

export interface TextQuestion extends QuestionBase {
  check?: AnswerCheck;
  /** The value of an empty answer. */
  default?: string;
  /** A secret: not shown while it is typed. */
  hidden?: boolean;
}

interface Option<T extends string = string> {
  value: T;
  /** Label for people; the value itself when absent. */
  label?: string;
  /** The key to type; a number when absent. */
  key?: string;
}

export interface ChoiceQuestion<T extends string = string> extends QuestionBase {
  options: readonly Option<T>[];
  default?: T;
}

/** A longer text: one line as typed, or an editor, or (plain lines) a block between two lines of `"""`. */
export interface EditorQuestion extends QuestionBase {
  check?: AnswerCheck;
  /** The initial text of the editor. */
  initial?: string;
}

/** A phrase that must be typed exactly; an empty answer refuses. The back ends add that to the message. */
export interface PhraseQuestion extends QuestionBase {
  phrase: string;
}

type QuestionKind = 'confirm' | 'text' | 'choice' | 'editor' | 'phrase' | 'action';

/** A question for a value, which can be a line of a form. */
export type FormQuestion = ({ kind: 'text' } & TextQuestion) | ({ kind: 'choice' } & ChoiceQuestion);

/** Any question, with its kind. */
export type Question =
  | ({ kind: 'confirm' } & ConfirmQuestion)
  | ({ kind: 'text' } & TextQuestion)
  | ({ kind: 'choice' } & ChoiceQuestion)
  | ({ kind: 'editor' } & EditorQuestion)
  | ({ kind: 'phrase' } & PhraseQuestion)
  | ({ kind: 'action' } & ChoiceQuestion);

/** A question as data: what `--json` prints for each one without an answer. */
export interface QuestionData {
  /** `3.answer`, or the name alone for a question about the whole run; a key of an answers file. */
  id: string;
  kind: QuestionKind;
  message: string;
  /** What is expected, in one line. */
  hint?: string;
  step?: QuestionStep;
  options?: { value: string; label: string; key: string }[];
  default?: string | boolean;
  phrase?: string;
}

/** The stable id of a question. */
export function questionId(question: Pick<Question, 'name' | 'step'>): string {
  return question.step === undefined ? question.name : `${question.step.index}.${question.name}`;
}

/** Converts a question to JSON data. */
export function describeQuestion(question: Question): QuestionData {
  const data: QuestionData = { id: questionId(question), kind: question.kind, message: question.message };
  if (question.hint !== undefined) data.hint = question.hint;
  if (question.step !== undefined) data.step = { index: question.step.index, label: question.step.label };
  if (question.kind === 'choice' || question.kind === 'action') data.options = keyedOptions(question.options);
  if (question.kind === 'phrase') data.phrase = question.phrase;
  if ('default' in question && question.default !== undefined) data.default = question.default;
  return data;
}

/**
 * Options with the key that chooses each. Without keys they are numbered. When a value or label is itself a
 * number, the values are the keys, so that a typed `2` is never ambiguous.
 */
export function keyedOptions<T extends string>(
  options: readonly Option<T>[],
): { value: T; label: string; key: string }[] {
  const numeric = options.some(
    ({ value, label }) => isNumber(value) || (label !== undefined && isNumber(label)),
  );
  return options.map(({ value, label, key }, index) => ({
    value,
    label: label ?? value,
    key: key ?? (numeric ? value : String(index + 1)),
  }));
}

function isNumber(text: string): boolean {
  return /^\s*\d+\s*$/.test(text);
}

type Reading = { ok: true; value: string | boolean } | { ok: false; reason: string };

const YES = new Set(['y', 'yes', 'true']);
const NO = new Set(['n', 'no', 'false']);

/** Interprets a line as the answer to a question: typed, piped or from an answers file. */
export function readAnswer(question: Question, line: string): Reading {
  switch (question.kind) {
    case 'confirm':
      return readConfirmation(line, question.default);
    case 'choice':
    case 'action':
      return readOption(question.options, line, question.default);
    case 'phrase':
      if (line === question.phrase) return { ok: true, value: true };
      if (line === '') return { ok: true, value: false };
      return { ok: false, reason: 'That is not the phrase. Type it exactly, or press Enter to refuse.' };
    case 'text':
      return checked(line === '' ? (question.default ?? '') : line, question.check);
    case 'editor':
      return checked(line, question.check);
  }
}

function readConfirmation(line: string, fallback: boolean | undefined): Reading {
  const word = line.trim().toLowerCase();
  if (YES.has(word)) return { ok: true, value: true };
  if (NO.has(word)) return { ok: true, value: false };
  if (word === '' && fallback !== undefined) return { ok: true, value: fallback };
  return { ok: false, reason: 'Answer yes or no.' };
}

/** Exact value, then label, then key; then any of them ignoring case, if only one option matches. */
function readOption(options: readonly Option[], line: string, fallback: string | undefined): Reading {
  const typed = line.trim();
  if (typed === '' && fallback !== undefined) return { ok: true, value: fallback };
  const keyed = keyedOptions(options);
  const exact =
    keyed.find(({ value }) => value === typed) ??
    keyed.find(({ label }) => label === typed) ??
    keyed.find(({ key }) => key === typed);
  if (exact !== undefined) return { ok: true, value: exact.value };
  const folded = typed.toLowerCase();
  const loose = keyed.filter(({ value, label, key }) =>
    [value, label, key].some((name) => name.trim().toLowerCase() === folded),
  );
  if (loose.length === 1 && loose[0] !== undefined) return { ok: true, value: loose[0].value };
  return { ok: false, reason: `Answer one of: ${keyed.map(named).join(', ')}.` };
}

/** An option as it may be typed: its key, and its label where they differ. */
function named({ key, label }: { key: string; label: string }): string {
  return key === label ? key : `${key} (${label.replace(/^\(|\)$/g, '')})`;
}

function checked(value: string, check: ((value: string) => true | string) | undefined): Reading {
  const verdict = check?.(value) ?? true;
  return verdict === true ? { ok: true, value } : { ok: false, reason: verdict };
}

/** Opens and closes an answer of several lines. */
export const BLOCK_FENCE = '"""';

/** The question as printed, without its last line break. */
export function questionText(
  question: Question,
  { terminal, edit }: { terminal: boolean; edit: EditText | null },
): string {
  const message = escapeForTerminal(question.message, { keepNewlines: true });
  switch (question.kind) {
    case 'confirm': {
      const fallback = question.default === undefined ? '' : `, default ${question.default ? 'yes' : 'no'}`;
      return `${message} (yes or no${fallback})`;
    }
    case 'text':
      if (question.hidden === true && terminal) return `${message} (typed text is visible here)`;
      return question.default === undefined
        ? message
        : `${message} (default ${escapeForTerminal(question.default)})`;
    case 'phrase':
      return `${message}\nType this to continue, or press Enter to refuse: ${escapeForTerminal(question.phrase)}`;
    case 'editor': {
      const editor = terminal && edit !== null ? 'an empty line opens the editor, ' : '';
      return `${message} (one line; ${editor}${BLOCK_FENCE} opens and closes several)`;
    }
    case 'choice':
    case 'action': {
      const list = keyedOptions(question.options).map(
        ({ value, label, key }) =>
          `  ${escapeForTerminal(key)}) ${escapeForTerminal(label)}${value === question.default ? ' (default)' : ''}`,
      );
      return [message, ...list].join('\n');
    }
  }
}
