import type { CommandInfo } from '../../../host/commands/shell-step.ts';
import type { Verification } from '../../../ledger/verify.ts';
import type { Assurance } from '../../../protocol/schema.ts';
import type { RollbackDoneData } from '../../../run/entry-data.ts';
import type { RunFields } from '../../../run/walk-fields.ts';
import type { Output } from '../../output.ts';

/** Reports a run at the command line. One implementation prints for people, the other prints JSON lines. */
export interface RunReporter {
  begun(info: {
    runId: string;
    title: string;
    slug: string;
    digest: string;
    steps: number;
    resumed: boolean;
    /** The steps that a resumed run has passed already, in order. `assurance`: null without the optional proof. */
    done: readonly { step: number; label: string; assurance: Assurance | null }[];
  }): void;
  /** Fixed words. */
  note(text: string): void;
  step(info: StepInfo): Promise<void>;
  command(info: CommandInfo): Promise<void>;
  output(stream: 'stdout' | 'stderr', chunk: string): void;
  /** Something runs that may print nothing for up to so many seconds. Returns what to call when it has ended. */
  running(limitSeconds: number): () => void;
  commandEnded(info: CommandEnd): void;
  tool(info: { server: string; tool: string; source: string }): void;
  /** The engine's answer to a solution, and the solution's assurance. Null: no solution was submitted. */
  verdict(fields: RunFields, assurance: Assurance | null): void;
  /** The result of a rollback. */
  rolledBack(done: RollbackDoneData): void;
  sealed(info: SealedInfo): Promise<void>;
  /** The run stops without being sealed. `resume` and `close` are the commands that continue or end it. */
  stopped(info: { code: number; reason: string; runId: string; resume: string; close: string | null }): void;
}

interface StepInfo {
  index: number;
  count: number;
  label: string;
  uri: string;
  content: string;
  type: string | null;
  required: boolean;
}

interface CommandEnd {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  aborted: boolean;
  durationMs: number;
  /** Why it could not be started; null when it was. */
  error: string | null;
}

interface SealedInfo {
  runId: string;
  outcome: 'success' | 'failure';
  message: string;
  head: string;
  entries: number;
  assurance: Record<string, number>;
  /** The status of the ledger, verified right after sealing. */
  verified: Verification['status'];
  /** The command that does it again. */
  verify: string;
}

/** One event a line, for programs. Every event has `event`; further keys are only ever added. */
export function jsonReporter(output: Output): RunReporter {
  const emit = (event: string, data: object) => output.object({ event, ...data });
  return {
    begun: (info) =>
      emit('begun', {
        run_id: info.runId,
        title: info.title,
        slug: info.slug,
        digest: info.digest,
        step_count: info.steps,
        resumed: info.resumed,
        done: info.done,
      }),
    note: (text) => emit('note', { text }),
    step: async ({ index, count, label, uri, content, type, required }) =>
      emit('step', { index, count, label, uri, content, type, required }),
    command: async ({ cmd, interpreter = 'sh', cwd, env, timeoutSeconds, danger }) =>
      emit('command', { cmd, interpreter, cwd, env, timeout_seconds: timeoutSeconds, danger }),
    output: (stream, text) => emit('output', { stream, text }),
    running: () => () => undefined,
    commandEnded: ({ exitCode, signal, timedOut, aborted, durationMs, error }) =>
      emit('command_ended', {
        exit_code: exitCode,
        signal,
        ...(error === null ? {} : { error }),
        timed_out: timedOut,
        aborted,
        duration_ms: durationMs,
      }),
    tool: (info) => emit('tool', info),
    verdict: (fields, assurance) => emit('answer', { handed_in_as: assurance, ...fields }),
    rolledBack: (done) => emit('rolled_back', done),
    sealed: async ({ runId, outcome, message, head, entries, assurance, verified }) =>
      emit('sealed', { run_id: runId, outcome, message, head, entries, assurance, verified }),
    stopped: ({ code, reason, runId, resume, close }) =>
      emit('stopped', {
        exit_code: code,
        reason,
        run_id: runId,
        resume,
        ...(close === null ? {} : { close }),
      }),
  };
}
