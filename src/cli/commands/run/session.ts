import type { Redactor } from '../../../host/secrets/redact.ts';
import type { OperationContext } from '../../../operations/context.ts';
import type { ProofTools } from '../../../proof/verdict.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import type { CliIo } from '../../io.ts';
import type { Interrupts } from '../../terminal/interrupt.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import type { QuestionData } from '../../terminal/question.ts';
import type { Reporter } from './report.ts';

/** One run at the command line: who is asked, who is told, and where commands run. */
export interface RunSession {
  ctx: OperationContext;
  runId: string;
  content: ChainContent;
  io: CliIo;
  prompter: Prompter;
  reporter: Reporter;
  interrupts: Interrupts;
  redactor: Redactor;
  tools: ProofTools;
  /** Absolute; commands stay inside it. */
  root: string;
  /** Digests that `--trust` gave for this run. */
  trusted: readonly string[];
  /** Use bubblewrap if it is available. */
  contain: boolean;
  /** Commands go to the terminal themselves when their step says so and there is one. */
  hasTerminal: boolean;
  yes: boolean;
}

/** Exit codes of `kairos run` beside 0, 2 and those of signals (SPEC 10). */
export const RUN_EXIT = { proofFailed: 1, inputNeeded: 3, aborted: 4, timedOut: 124 } as const;

/** Why a walk stops before it is sealed. */
export interface Stop {
  kind: 'stop';
  code: number;
  /** Fixed words. */
  reason: string;
  /** What has to be answered, where that is not just what the prompter was left with. */
  questions?: readonly QuestionData[];
}

export function stop(code: number, reason: string, questions?: readonly QuestionData[]): Stop {
  return { kind: 'stop', code, reason, ...(questions === undefined ? {} : { questions }) };
}

export const STOPS = {
  inputNeeded: () => stop(RUN_EXIT.inputNeeded, 'An answer is needed that nobody was there to give.'),
  aborted: () => stop(RUN_EXIT.aborted, 'Stopped as you asked.'),
  signal: (code: number) => stop(code, 'Stopped by a signal.'),
} as const;
