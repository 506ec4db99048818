import { isObject } from '../base/json.ts';
import type { EntryData, Json, LedgerEntry } from '../ledger/entry.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Assurance } from '../protocol/schema.ts';

export type StepState = 'proven' | 'waived' | 'skipped' | 'failed' | 'pending' | 'not reached';

/** One solution of a step: its type, its result and its assurance. */
export interface ReportAttempt {
  seq: number;
  at: string;
  accepted: boolean;
  type: string;
  assurance: Assurance;
  /** The error code of a refusal. */
  code: string | null;
  /** In words, where the record has them. */
  reason: string | null;
  /** The proof as the record keeps it. */
  proof: EntryData | null;
}

/** A command that kairos ran for a step. */
export interface ReportCommand {
  seq: number;
  cmd: string;
  cwd: string | null;
  /** Null: its end is not known. */
  exitCode: number | null;
  durationMs: number | null;
  stdout: string;
  stderr: string;
  ended: string;
  /** What it was for: the step, its rollback, or the check of that rollback. */
  purpose: 'step' | 'rollback' | 'check';
}

/** An answer to a proposal of a step. */
export interface ReportApproval {
  seq: number;
  at: string;
  decision: string;
  by: string;
  signed: boolean;
  reason: string | null;
}

/** An attempt to roll a step back. */
export interface ReportRollback {
  seq: number;
  at: string;
  by: string;
  strategy: string;
  succeeded: boolean;
  /** Null without a check. */
  verified: boolean | null;
  late: boolean;
  assurance: Assurance;
}

export interface ReportStep {
  number: number;
  label: string;
  body: string;
  /** The step block as JSON text; null where the step has none. */
  demand: string | null;
  state: StepState;
  assurance: Assurance | null;
  attempts: ReportAttempt[];
  commands: ReportCommand[];
  decisions: { seq: number; decision: string; rollback: boolean; reasons: string[] }[];
  approvals: ReportApproval[];
  rollbacks: ReportRollback[];
  skippedBecause: string | null;
  workingMs: number;
  waitingMs: number;
}

export function stepsOf(entries: readonly LedgerEntry[], content: ChainContent | null): ReportStep[] {
  const count = Number(
    entries.findLast(({ kind }) => kind === 'run.begun' || kind === 'run.rebased')?.data.step_count ??
      content?.steps.length ??
      0,
  );
  const steps = Array.from({ length: count }, (_, at): ReportStep => {
    const step = content?.steps[at];
    return {
      number: at + 1,
      label: step?.label ?? `Step ${at + 1}`,
      body: step?.body ?? '',
      demand: step?.block == null ? null : JSON.stringify(step.block, null, 2),
      state: 'not reached',
      assurance: null,
      attempts: [],
      commands: [],
      decisions: [],
      approvals: [],
      rollbacks: [],
      skippedBecause: null,
      workingMs: 0,
      waitingMs: 0,
    };
  });
  for (const entry of entries) {
    const step = steps[Number(entry.data.step) - 1];
    if (step !== undefined) FOLDS[entry.kind]?.(step, entry);
  }
  const last = steps.findLastIndex(({ state }) => state !== 'not reached');
  // A step that asks for nothing is passed once a later one is shown.
  steps.forEach((step, at) => {
    if (step.state === 'pending' && at < last) step.state = 'proven';
  });
  const sealed = entries.some(({ kind }) => kind === 'run.sealed');
  for (const step of steps)
    if (sealed && step.state === 'pending') step.state = step.demand === null ? 'proven' : 'failed';
  return steps;
}

const FOLDS: Record<string, ((step: ReportStep, entry: LedgerEntry) => void) | undefined> = {
  'step.shown': (step) => {
    if (step.state === 'not reached') step.state = 'pending';
  },
  'step.skipped': (step, { data }) => {
    step.state = 'skipped';
    step.skippedBecause = textOf(data.reason);
  },
  'proof.accepted': (step, entry) => {
    step.attempts.push(attemptOf(entry, true));
    if (entry.data.closing === true) return;
    step.state = 'proven';
    step.assurance = entry.data.assurance as Assurance;
  },
  'proof.rejected': (step, entry) => {
    step.attempts.push(attemptOf(entry, false));
    step.state = entry.data.waived === true ? 'waived' : 'failed';
  },
  'command.started': (step, { seq, data }) => {
    step.commands.push({
      seq,
      cmd: textOf(data.cmd),
      cwd: typeof data.cwd === 'string' ? data.cwd : null,
      exitCode: null,
      durationMs: null,
      stdout: '',
      stderr: '',
      ended: 'its end is not known',
      purpose: data.rollback !== true ? 'step' : data.verify === true ? 'check' : 'rollback',
    });
  },
  'command.finished': (step, { data }) => {
    const command = step.commands.at(-1);
    if (command === undefined) return;
    command.exitCode = typeof data.exit_code === 'number' ? data.exit_code : null;
    command.durationMs = typeof data.duration_ms === 'number' ? data.duration_ms : null;
    command.stdout = typeof data.stdout === 'string' ? data.stdout : '';
    command.stderr = typeof data.stderr === 'string' ? data.stderr : '';
    command.ended = endOf(data);
  },
  'proposal.decided': (step, { seq, data }) => {
    const reasons = Array.isArray(data.reasons) ? data.reasons : [];
    step.decisions.push({
      seq,
      decision: textOf(data.decision),
      rollback: data.rollback === true,
      reasons: reasons.map((reason) =>
        isObject(reason) ? `${textOf(reason.code)}: ${textOf(reason.message)}` : textOf(reason),
      ),
    });
  },
  'approval.given': (step, { seq, at, data }) => {
    step.approvals.push({
      seq,
      at,
      decision: data.decision === 'deny' ? 'denied' : 'approved',
      by: textOf(data.approver),
      signed: data.source === 'ssh',
      reason: typeof data.reason === 'string' ? data.reason : null,
    });
  },
  'rollback.done': (step, { seq, at, data }) => {
    step.rollbacks.push({
      seq,
      at,
      by: textOf(data.by),
      strategy: textOf(data.strategy),
      succeeded: data.succeeded === true,
      verified: isObject(data.verify) ? data.verify.succeeded === true : null,
      late: data.late === true,
      assurance: data.assurance as Assurance,
    });
  },
};

function attemptOf({ seq, at, data }: LedgerEntry, accepted: boolean): ReportAttempt {
  // A refusal keeps the result of the step under its type, and does not name the type.
  const proof = accepted ? data[textOf(data.type)] : (data.shell ?? data.mcp);
  return {
    seq,
    at,
    accepted,
    type: data.closing === true ? 'closing account' : textOf(data.type ?? ''),
    assurance: data.assurance as Assurance,
    code: accepted ? null : textOf(data.code),
    reason: reasonOf(data),
    proof: isObject(proof) ? proof : null,
  };
}

/** Why a proof was refused: in the words of kairos, the pattern that was not found, and the words of a verifier. */
function reasonOf({ message, wanted, reason }: EntryData): string | null {
  const pattern =
    isObject(wanted) && typeof wanted.stdout_matches === 'string' ? wanted.stdout_matches : null;
  const parts = [message, pattern === null ? null : `Expected in the output: ${pattern}`, reason];
  return parts.filter((part) => typeof part === 'string').join(' ') || null;
}

/** Of a tool call without an answer. */
const TOOL_FAILURES: Readonly<Record<string, string>> = {
  not_started: 'the server could not be started',
  ended_early: 'the server ended without an answer',
  no_such_tool: 'the server has no such tool',
  protocol_error: 'the server gave no valid answer',
};

/** How a command or a tool call ended, in words. */
export function endOf({ error, timed_out, aborted, signal, failure, exit_code }: EntryData): string {
  if (typeof error === 'string') return `could not be started: ${error}`;
  if (timed_out === true || failure === 'timed_out') return 'timed out';
  if (aborted === true || failure === 'aborted') return 'stopped';
  if (typeof signal === 'string') return `killed by ${signal}`;
  if (failure === null) return 'the tool answered';
  if (typeof failure === 'string') return TOOL_FAILURES[failure] ?? failure;
  return `exit code ${textOf(exit_code)}`;
}

/** For example `rolled back by command, verified`. */
export function rollbackText({ succeeded, strategy, verified, late }: ReportRollback): string {
  const check = verified === null ? '' : verified ? ', verified' : ', not verified';
  return `${succeeded ? '' : 'not '}rolled back by ${strategy}${check}${late ? ', after its deadline' : ''}`;
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
