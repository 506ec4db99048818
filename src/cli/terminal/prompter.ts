import type { Interrupts } from './interrupt.ts';
import {
  type ChoiceQuestion,
  type ConfirmQuestion,
  describeQuestion,
  type EditorQuestion,
  type FormQuestion,
  type PhraseQuestion,
  type Question,
  type QuestionData,
  type TextQuestion,
} from './question.ts';

export type BackEnd = 'rich' | 'plain' | 'answers' | 'none';

/** A way of asking, independent of where the answer comes from. */
export interface Prompter {
  readonly backEnd: BackEnd;
  /** A person at a terminal can be asked. */
  readonly interactive: boolean;
  /** The questions without an answer so far, for exit 3. */
  readonly unanswered: readonly QuestionData[];
  /** Why the last of them has no answer, and what helps. */
  readonly cause: string;
  confirm(question: ConfirmQuestion): Promise<PromptOutcome<boolean>>;
  text(question: TextQuestion): Promise<PromptOutcome<string>>;
  choice<T extends string>(question: ChoiceQuestion<T>): Promise<PromptOutcome<T>>;
  editor(question: EditorQuestion): Promise<PromptOutcome<string>>;
  /** True: typed exactly. False: refused. */
  phrase(question: PhraseQuestion): Promise<PromptOutcome<boolean>>;
  /** Several values, on one screen where the terminal has one, else one after the other. In the order of the questions. */
  form(form: Form): Promise<PromptOutcome<readonly string[]>>;
  /** The menu at a stop; see STOP_ACTIONS. */
  action<T extends string>(question: ChoiceQuestion<T>): Promise<PromptOutcome<T>>;
  /** Number of piped answers that have arrived and no question used. */
  surplus(): number;
  /** Releases standard input. */
  close(): void;
}

/** The result of a back end. `interrupt`: Ctrl-C came as a key, or the signal was aborted. */
export type BackEndReply = Reply<string | boolean>;

/** A back end: asks one question, and gives up when the signal is aborted. */
export type AskBackEnd = (question: Question, signal: AbortSignal) => Promise<BackEndReply>;

/** Questions for values that are asked together. */
export interface Form {
  message: string;
  questions: readonly FormQuestion[];
}

/** A back end that has forms. */
export type AskForm = (form: Form, signal: AbortSignal) => Promise<Reply<readonly string[]>>;

export interface PrompterParts {
  backEnd: BackEnd;
  interactive: boolean;
  interrupts: Interrupts;
  ask: AskBackEnd;
  /** Absent: a form is asked question by question. */
  askForm?: AskForm;
  surplus?: () => number;
  close?: () => void;
  /** Why this back end leaves a question unanswered. */
  whyUnanswered?: string;
}

/** The result of a back end, for any value. */
export type Reply<T> =
  | { kind: 'answer'; value: T; assurance: AnswerAssurance }
  | { kind: 'eof' | 'interrupt' | 'unanswered' };

/** The actions at a stop, with the key of each. Pass the available ones to `Prompter.action`. */
export const STOP_ACTIONS = {
  run: { value: 'run', label: 'Run it', key: 'r' },
  retry: { value: 'retry', label: 'Try again', key: 't' },
  details: { value: 'details', label: 'Show details', key: 'd' },
  undo: { value: 'undo', label: 'Roll back the step', key: 'u' },
  skip: { value: 'skip', label: 'Skip this step', key: 's' },
  abort: { value: 'abort', label: 'Abort: stop here and leave the run open', key: 'a' },
} as const;
export type StopAction = keyof typeof STOP_ACTIONS;

/** Makes a prompter of a back end: adds the Ctrl-C discipline and the list of unanswered questions. */
export function createPrompter(parts: PrompterParts): Prompter {
  const unanswered: QuestionData[] = [];
  let ended = false;

  /** Each kind of question has its own type of value, which the back ends return. */
  async function put<T extends string | boolean>(question: Question): Promise<PromptOutcome<T>> {
    return settle([question], (signal) => parts.ask(question, signal) as Promise<Reply<T>>);
  }

  async function settle<T>(
    questions: readonly Question[],
    ask: (signal: AbortSignal) => Promise<Reply<T>>,
  ): Promise<PromptOutcome<T>> {
    const { interrupts } = parts;
    const reply = await interrupts.asking<Reply<T>>(async (signal) => {
      if (signal.aborted) return { kind: 'interrupt' };
      const given = await ask(signal);
      if (given.kind === 'interrupt' && !signal.aborted) interrupts.press();
      return given;
    });
    if (reply.kind === 'interrupt') return { kind: 'interrupt', exitCode: interrupts.exitCode };
    if (reply.kind === 'answer') {
      interrupts.answered();
      return reply;
    }
    unanswered.push(...questions.map(describeQuestion));
    ended = reply.kind === 'eof';
    return { kind: reply.kind };
  }

  async function form({ message, questions }: Form): Promise<PromptOutcome<readonly string[]>> {
    const { askForm } = parts;
    if (askForm !== undefined && questions.length > 1)
      return settle(questions, (signal) => askForm({ message, questions }, signal));
    const values: string[] = [];
    let assurance: AnswerAssurance = 'client';
    for (const question of questions) {
      const answer = await put<string>(question);
      if (answer.kind !== 'answer') return answer;
      values.push(answer.value);
      assurance = answer.assurance;
    }
    return { kind: 'answer', value: values, assurance };
  }

  return {
    backEnd: parts.backEnd,
    interactive: parts.interactive,
    unanswered,
    get cause() {
      return ended ? INPUT_ENDED : (parts.whyUnanswered ?? '');
    },
    confirm: (question) => put({ kind: 'confirm', ...question }),
    text: (question) => put({ kind: 'text', ...question }),
    choice: (question) => put({ kind: 'choice', ...question }),
    editor: (question) => put({ kind: 'editor', ...question }),
    phrase: (question) => put({ kind: 'phrase', ...question }),
    form,
    action: (question) => put({ kind: 'action', ...question }),
    surplus: () => parts.surplus?.() ?? 0,
    close: () => parts.close?.(),
  };
}

const INPUT_ENDED = 'Standard input ended before the question was answered.';

/** The assurance of an answer (SPEC 4): typed at a terminal, or provided by a pipe, a file or `--yes`. */
export type AnswerAssurance = 'client' | 'claimed';

/** The result of a question. Throws only for an invalid answer that can't be asked again. */
export type PromptOutcome<T> =
  | { kind: 'answer'; value: T; assurance: AnswerAssurance }
  /** Input ended: Ctrl-D, a closed terminal, a pipe without more lines. */
  | { kind: 'eof' }
  /** Ctrl-C or a signal. Null: the first Ctrl-C, ask what to do; a number: end with it. */
  | { kind: 'interrupt'; exitCode: number | null }
  /** No person can be asked. */
  | { kind: 'unanswered' };
