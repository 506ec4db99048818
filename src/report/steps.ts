import { isObject } from '../base/json.ts';
import { readStatement } from '../gate/approval/statement.ts';
import type { EntryData, LedgerEntry } from '../ledger/entry.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Assurance } from '../protocol/schema.ts';
import { carriedOver } from '../run/entry-data.ts';
import type { WaitsFor } from '../run/notices.ts';
import {
  attemptOf,
  END_UNKNOWN,
  endOf,
  type ReportAttempt,
  reasonLines,
  valueInOneLine,
} from './timeline-text.ts';

/** `shown`: it asks for nothing, and the run has left it behind. */
export type StepState = 'proven' | 'shown' | 'waived' | 'skipped' | 'failed' | 'pending' | 'not reached';

/** A command that kairos ran for a step. */
export interface ReportCommand {
  seq: number;
  /** Connects its start and its end: several sessions can each run a command of a step. */
  attempt: string;
  cmd: string;
  interpreter: string;
  cwd: string | null;
  /** The entry of its end; null: its end is not known. */
  endSeq: number | null;
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
  /** As the record has it. */
  data: EntryData;
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

/** What the gate decided about a proposal of a step. */
export interface ReportDecision {
  seq: number;
  decision: string;
  rollback: boolean;
  reasons: string[];
  /** What was proposed, and how many approvals it needs. */
  hash: string | null;
  needed: number;
  /** As the record has it; null if an earlier decision is about the same proposal. */
  data: EntryData | null;
}

/** What was begun and has no end on record. */
export type Doubt = 'command' | 'permit' | 'rollback';

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
  decisions: ReportDecision[];
  approvals: ReportApproval[];
  rollbacks: ReportRollback[];
  skippedBecause: string | null;
  /** What the step waits for now. */
  waits: WaitsFor | null;
  /** What was begun, has no end on record, and may still be running. */
  doubt: Doubt | null;
  workingMs: number;
  waitingMs: number;
}

/** `earlier`: steps of earlier revisions, numbered after those of the last one. */
export function stepsOf(
  entries: readonly LedgerEntry[],
  content: ChainContent | null,
  earlier: readonly ChainContent['steps'][number][] = [],
): ReportStep[] {
  const count = Number(
    entries.findLast(({ kind }) => kind === 'run.begun' || kind === 'run.rebased')?.data.step_count ??
      content?.steps.length ??
      0,
  );
  const steps = Array.from({ length: count + earlier.length }, (_, at): ReportStep => {
    const step = at < count ? content?.steps[at] : earlier[at - count];
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
      waits: null,
      doubt: null,
      workingMs: 0,
      waitingMs: 0,
    };
  });
  const asked = new Set<ReportStep>();
  let isClosing = false;
  for (const entry of entries) {
    // What was proposed has to be proposed again.
    if (VOIDING.has(entry.kind)) for (const step of steps) step.waits = null;
    for (const step of entry.kind === 'run.rebased' ? steps : []) {
      if (carriedOver(entry).includes(step.number)) continue;
      step.state = 'not reached';
      asked.delete(step);
    }
    const step = steps[Number(entry.data.step) - 1];
    if (step === undefined) continue;
    if (entry.kind === 'step.shown') {
      isClosing = entry.data.demand === 'closing';
      if (!isClosing && entry.data.demand !== 'none') asked.add(step);
    }
    // The step itself is passed when its closing comment is refused.
    if (isClosing && entry.kind === 'proof.rejected') step.attempts.push(attemptOf(entry, false));
    else FOLDS[entry.kind]?.(step, entry);
  }
  const last = steps.findLastIndex(({ state }) => state !== 'not reached');
  // A step that asks for nothing is passed once a later one is shown.
  steps.forEach((step, at) => {
    if (step.state === 'pending' && at < last) step.state = 'shown';
  });
  const sealed = entries.some(({ kind }) => kind === 'run.sealed');
  for (const step of sealed ? steps : []) {
    step.waits = null;
    if (step.state === 'pending') step.state = asked.has(step) ? 'failed' : 'shown';
  }
  // The next step of an open run is what it asks for, also if it was not shown yet.
  const next = sealed ? undefined : steps.find(({ state }) => !PASSED.has(state));
  if (next?.state === 'not reached' && next.number <= count) {
    next.state = 'pending';
    const { proof_of_work: proof } = content?.steps[next.number - 1]?.block ?? {};
    if (proof?.type === 'user_input') next.waits = 'an answer';
  }
  return steps;
}

/** The states of a step that a run has left behind. */
export const PASSED = new Set<StepState>(['proven', 'shown', 'waived', 'skipped']);

/** The kinds of entry after which no permit, approval or proposal counts. */
const VOIDING = new Set<string>(['run.moved', 'policy.adopted', 'run.rebased']);

const FOLDS: Record<string, ((step: ReportStep, entry: LedgerEntry) => void) | undefined> = {
  'step.shown': (step, { data }) => {
    if (step.state === 'not reached') step.state = 'pending';
    if (data.demand === 'user_input') step.waits ??= 'an answer';
  },
  'step.skipped': (step, { data }) => {
    step.state = 'skipped';
    step.waits = null;
    step.skippedBecause = valueInOneLine(data.reason);
  },
  'proof.accepted': (step, entry) => {
    step.attempts.push(attemptOf(entry, true));
    step.waits = step.doubt = null;
    if (entry.data.closing === true) {
      // A last step without a block asks for the closing comment.
      if (step.state === 'pending') step.state = 'proven';
      return;
    }
    step.state = 'proven';
    step.assurance = entry.data.assurance as Assurance;
  },
  'proof.rejected': (step, entry) => {
    step.attempts.push(attemptOf(entry, false));
    step.waits = step.doubt = null;
    step.state = entry.data.waived === true ? 'waived' : 'failed';
  },
  'command.started': (step, { seq, data }) => {
    step.commands.push({
      seq,
      attempt: valueInOneLine(data.attempt),
      cmd: valueInOneLine(data.cmd),
      interpreter: typeof data.interpreter === 'string' ? data.interpreter : 'sh',
      cwd: typeof data.cwd === 'string' ? data.cwd : null,
      endSeq: null,
      exitCode: null,
      durationMs: null,
      stdout: '',
      stderr: '',
      ended: END_UNKNOWN,
      purpose: data.rollback !== true ? 'step' : data.verify === true ? 'check' : 'rollback',
    });
    step.doubt = data.rollback === true ? 'rollback' : 'command';
  },
  'command.finished': (step, { seq, data }) => {
    const attempt = valueInOneLine(data.attempt);
    const command = step.commands.findLast((started) => started.attempt === attempt);
    if (command === undefined) return;
    command.endSeq = seq;
    command.exitCode = typeof data.exit_code === 'number' ? data.exit_code : null;
    command.durationMs = typeof data.duration_ms === 'number' ? data.duration_ms : null;
    command.stdout = typeof data.stdout === 'string' ? data.stdout : '';
    command.stderr = typeof data.stderr === 'string' ? data.stderr : '';
    command.ended = endOf(data);
    if (data.rollback !== true && command === step.commands.at(-1)) step.doubt = null;
  },
  'proposal.decided': (step, { seq, data }) => {
    if (data.rollback !== true) step.waits = data.decision === 'HOLD' ? 'approval' : null;
    step.decisions.push({
      seq,
      decision: valueInOneLine(data.decision),
      rollback: data.rollback === true,
      reasons: reasonLines(data.reasons),
      hash: typeof data.proposal_hash === 'string' ? data.proposal_hash : null,
      needed: Number(data.approvals_needed),
      data: step.decisions.some(({ hash }) => hash === data.proposal_hash) ? null : data,
    });
  },
  'approval.given': (step, { seq, at, data }) => {
    step.approvals.push({
      seq,
      at,
      decision: data.decision === 'deny' ? 'denied' : 'approved',
      by: valueInOneLine(data.approver),
      signed: data.source === 'ssh',
      reason: typeof data.statement === 'string' ? (readStatement(data.statement)?.reason ?? null) : null,
      data,
    });
    const held = step.decisions.findLast(({ rollback }) => !rollback);
    if (held === undefined || step.waits !== 'approval' || held.hash !== data.proposal_hash) return;
    if (data.decision === 'deny') step.waits = 'a new proposal';
    else if (Number(data.approvals_given) >= held.needed) step.waits = 'resume';
  },
  'permit.consumed': (step, { data }) => {
    step.waits = null;
    step.doubt = data.rollback === true ? 'rollback' : 'permit';
  },
  'rollback.done': (step, { seq, at, data }) => {
    step.doubt = null;
    step.rollbacks.push({
      seq,
      at,
      by: valueInOneLine(data.by),
      strategy: valueInOneLine(data.strategy),
      succeeded: data.succeeded === true,
      verified: isObject(data.verify) ? data.verify.succeeded === true : null,
      late: data.late === true,
      assurance: data.assurance as Assurance,
    });
  },
};
