import type { Redactor } from '../../../host/secrets/redact.ts';
import type { OperationContext } from '../../../operations/context.ts';
import type { ProofTools } from '../../../proof/verdict.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import type { CliIo } from '../../io.ts';
import type { Interrupts } from '../../terminal/interrupt.ts';
import { type Prompter, type PromptOutcome, STOP_ACTIONS, type StopAction } from '../../terminal/prompter.ts';
import type { Question, QuestionData } from '../../terminal/question.ts';
import type { RunReporter } from './report.ts';

/** One run at the command line: its prompter, its reporter, and where its commands run. */
export interface RunSession {
  ctx: OperationContext;
  runId: string;
  content: ChainContent;
  io: CliIo;
  prompter: Prompter;
  reporter: RunReporter;
  interrupts: Interrupts;
  redactor: Redactor;
  tools: ProofTools;
  /** Absolute; commands stay inside it. */
  root: string;
  /** Digests that `--trust` gave for this run. */
  trusted: readonly string[];
  /** Use bubblewrap if it is available. */
  contain: boolean;
  /** A terminal is available, so interactive steps can use it directly. */
  hasTerminal: boolean;
  yes: boolean;
  /** The station that a person just chose to try again. */
  triesAgain: number | null;
}

/** Exit codes of `kairos run`, in addition to 0, 2 and those of signals (SPEC 10). */
export const RUN_EXIT = { proofFailed: 1, inputNeeded: 3, aborted: 4, timedOut: 124 } as const;

/** Why a run stops before it is sealed. */
export interface Stop {
  kind: 'stop';
  code: number;
  /** Fixed words. */
  reason: string;
  /** The questions to report instead of the prompter's unanswered ones. */
  questions?: readonly QuestionData[];
}

export function stop(code: number, reason: string, questions?: readonly QuestionData[]): Stop {
  return { kind: 'stop', code, reason, ...(questions === undefined ? {} : { questions }) };
}

export const STOPS = {
  inputNeeded: () => stop(RUN_EXIT.inputNeeded, 'Input is needed.'),
  aborted: () => stop(RUN_EXIT.aborted, 'Stopped as you asked.'),
  signal: (code: number) => stop(code, 'Stopped by a signal.'),
} as const;

/** An answer, or why the run stops. */
export type AnswerOrStop<T> =
  | { kind: 'answer'; value: T; assurance: 'client' | 'claimed' }
  | Stop
  | { kind: 'interrupted' };

/** Asks a question with the prompter method for its kind. */
export function askQuestion(
  { prompter }: RunSession,
  question: Question,
): Promise<AnswerOrStop<string | boolean>> {
  return askWith(prompter, question);
}

/** The same without a run at this terminal. */
export async function askWith(
  prompter: Prompter,
  question: Question,
): Promise<AnswerOrStop<string | boolean>> {
  switch (question.kind) {
    case 'confirm':
      return settle(await prompter.confirm(question));
    case 'text':
      return settle(await prompter.text(question));
    case 'choice':
      return settle(await prompter.choice(question));
    case 'editor':
      return settle(await prompter.editor(question));
    case 'phrase':
      return settle(await prompter.phrase(question));
    case 'action':
      return settle(await prompter.action(question));
  }
}

function settle<T>(outcome: PromptOutcome<T>): AnswerOrStop<T> {
  switch (outcome.kind) {
    case 'answer':
      return outcome;
    case 'interrupt':
      return outcome.exitCode === null ? { kind: 'interrupted' } : STOPS.signal(outcome.exitCode);
    default:
      return STOPS.inputNeeded();
  }
}

/** Asks for a yes. Null: yes. */
export async function askYes(session: RunSession, question: Question): Promise<Stop | null> {
  const answer = await askQuestion(session, question);
  if (answer.kind === 'stop') return answer;
  return answer.kind === 'answer' && answer.value === true ? null : STOPS.aborted();
}

/** Asks what to do at a stop. Returns null when no person can choose. */
export async function menu(
  session: RunSession,
  step: { index: number; label: string },
  message: string,
  actions: readonly StopAction[],
): Promise<StopAction | Stop | null> {
  if (!session.prompter.interactive) return null;
  const answer = await askQuestion(session, {
    kind: 'action',
    name: 'action',
    step,
    message,
    options: actions.map((action) => STOP_ACTIONS[action]),
    ...(actions.includes('run') ? { default: 'run' } : {}),
  });
  if (answer.kind === 'stop') return answer;
  // Ctrl-C at the menu chooses abort. A second Ctrl-C in a row ends the program.
  return answer.kind === 'interrupted' ? 'abort' : (answer.value as StopAction);
}
