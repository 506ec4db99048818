import type { EntryData, Json, LedgerEntry, Seal } from '../ledger/entry.ts';
import { toLines } from '../ledger/export.ts';
import { type Verification, verifyLedger } from '../ledger/verify.ts';
import { type AssuranceCounts, claimsOnly } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Assurance } from '../protocol/schema.ts';
import { type TimelineItem, timeline } from './timeline.ts';

export type StepState = 'proven' | 'waived' | 'skipped' | 'failed' | 'pending' | 'not reached';

/** One thing handed in for a step: what it was, what came of it, and what it is worth. */
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
}

/** Somebody's answer to a proposal of a step. */
export interface ReportApproval {
  seq: number;
  at: string;
  decision: string;
  by: string;
  signed: boolean;
  reason: string | null;
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
  decisions: { seq: number; decision: string; reasons: string[] }[];
  approvals: ReportApproval[];
  skippedBecause: string | null;
  workingMs: number;
  waitingMs: number;
}

/** A stretch of a run: who or what it waited for. */
export interface Stretch {
  step: number;
  from: number;
  to: number;
  kind: 'command' | 'person' | 'approval' | 'walker';
}

/** A run as people look at it; everything in it comes from the record and the revision that it is pinned to. */
export interface RunReport {
  runId: string;
  slug: string;
  title: string;
  digest: string;
  space: string;
  actor: string;
  begunAt: string;
  sealedAt: string | null;
  outcome: 'success' | 'failure' | null;
  message: string | null;
  /** Where and under what it ran, as name and value. */
  context: [name: string, value: string][];
  inputs: [name: string, value: string][];
  assurance: AssuranceCounts;
  selfReported: boolean;
  verification: Verification;
  steps: ReportStep[];
  stretches: Stretch[];
  events: TimelineItem[];
  /** The exported lines, the seal last. */
  lines: readonly string[];
}

export interface ReportSource {
  lines: readonly string[];
  entries: readonly LedgerEntry[];
  /** Null where the revision is not at hand: steps are then shown without their text. */
  content: ChainContent | null;
}

/** Makes the report of a run out of its record. The verification is made here, over the very lines that the report holds. */
export function reportRun({ lines, entries, content }: ReportSource): RunReport {
  const begun: EntryData = entries[0]?.data ?? {};
  const sealed = entries.find(({ kind }) => kind === 'run.sealed');
  const steps = stepsOf(entries, content);
  const stretches = stretchesOf(entries);
  for (const { step, from, to, kind } of stretches) {
    const found = steps[step - 1];
    if (found === undefined) continue;
    if (kind === 'person' || kind === 'approval') found.waitingMs += to - from;
    else found.workingMs += to - from;
  }
  const assurance = { claimed: 0, client: 0, observed: 0, attested: 0 };
  for (const { kind, data } of entries) {
    if (kind === 'proof.accepted') assurance[data.assurance as Assurance] += 1;
  }
  return {
    runId: entries[0]?.run_id ?? '',
    slug: text(begun.slug),
    title: text(begun.title),
    digest: text(begun.digest),
    space: text(begun.space),
    actor: text(begun.actor),
    begunAt: entries[0]?.at ?? '',
    sealedAt: sealed?.at ?? null,
    outcome: sealed === undefined ? null : sealed.data.outcome === 'success' ? 'success' : 'failure',
    message: sealed === undefined ? null : text(sealed.data.message),
    context: contextOf(entries, begun),
    inputs: inputsOf(begun.inputs),
    assurance,
    selfReported: claimsOnly(assurance),
    verification: verifyLedger(lines),
    steps,
    stretches,
    events: timeline(
      entries,
      steps.map(({ label }) => label),
    ),
    lines,
  };
}

/** The same from what a store holds. */
export function reportStored(
  entries: readonly LedgerEntry[],
  seal: Seal | null,
  content: ChainContent | null,
): RunReport {
  return reportRun({ lines: toLines(entries, seal), entries, content });
}

/** How long a run took, and how much of that it waited for people, in milliseconds. */
export function durationsOf({ stretches }: Pick<RunReport, 'stretches'>): {
  total: number;
  working: number;
  waiting: number;
} {
  const sum = (kinds: readonly Stretch['kind'][]) =>
    stretches.filter(({ kind }) => kinds.includes(kind)).reduce((ms, { from, to }) => ms + to - from, 0);
  const working = sum(['command', 'walker']);
  const waiting = sum(['person', 'approval']);
  return { total: working + waiting, working, waiting };
}

function stepsOf(entries: readonly LedgerEntry[], content: ChainContent | null): ReportStep[] {
  const count = Number(entries[0]?.data.step_count ?? content?.steps.length ?? 0);
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
    step.skippedBecause = text(data.reason);
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
      cmd: text(data.cmd),
      cwd: typeof data.cwd === 'string' ? data.cwd : null,
      exitCode: null,
      durationMs: null,
      stdout: '',
      stderr: '',
      ended: 'its end is not known',
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
      decision: text(data.decision),
      reasons: reasons.map((reason) =>
        isObject(reason) ? `${text(reason.code)}: ${text(reason.message)}` : text(reason),
      ),
    });
  },
  'approval.given': (step, { seq, at, data }) => {
    step.approvals.push({
      seq,
      at,
      decision: data.decision === 'deny' ? 'denied' : 'approved',
      by: text(data.approver),
      signed: data.source === 'ssh',
      reason: typeof data.reason === 'string' ? data.reason : null,
    });
  },
};

function attemptOf({ seq, at, data }: LedgerEntry, accepted: boolean): ReportAttempt {
  const proof = data[text(data.type)];
  return {
    seq,
    at,
    accepted,
    type: data.closing === true ? 'closing account' : text(data.type ?? ''),
    assurance: data.assurance as Assurance,
    code: accepted ? null : text(data.code),
    reason: typeof data.reason === 'string' ? data.reason : null,
    proof: isObject(proof) ? proof : null,
  };
}

function endOf(data: EntryData): string {
  if (data.timed_out === true) return 'timed out';
  if (data.aborted === true) return 'stopped';
  if (typeof data.signal === 'string') return `killed by ${data.signal}`;
  if (typeof data.error === 'string') return `not started: ${data.error}`;
  return `exit code ${text(data.exit_code)}`;
}

/** What each stretch between two entries was spent on. */
function stretchesOf(entries: readonly LedgerEntry[]): Stretch[] {
  const stretches: Stretch[] = [];
  let step = 1;
  let demand = '';
  for (const [at, entry] of entries.entries()) {
    const { kind, data } = entry;
    if (typeof data.step === 'number') step = data.step;
    if (kind === 'step.shown') demand = text(data.demand);
    const next = entries[at + 1];
    if (next === undefined || kind === 'run.sealed') break;
    const [from, to] = [Date.parse(entry.at), Date.parse(next.at)];
    if (to <= from) continue;
    const spent: Stretch['kind'] =
      kind === 'command.started'
        ? 'command'
        : kind === 'proposal.decided' && data.decision === 'HOLD'
          ? 'approval'
          : kind === 'step.shown' && demand === 'user_input'
            ? 'person'
            : 'walker';
    const before = stretches.at(-1);
    if (before?.kind === spent && before.step === step && before.to === from) before.to = to;
    else stretches.push({ step, from, to, kind: spent });
  }
  return stretches;
}

const CONTEXT: [key: string, name: string][] = [
  ['host', 'Host'],
  ['workdir', 'Directory'],
  ['face', 'Through'],
  ['actor_origin', 'Name known from'],
  ['session', 'Session'],
  ['policy_origin', 'Policy'],
  ['policy_digest', 'Policy digest'],
  ['store', 'Store'],
  ['tool_version', 'kairos'],
];

function contextOf(entries: readonly LedgerEntry[], begun: EntryData): [string, string][] {
  const facts = CONTEXT.flatMap(([key, name]): [string, string][] =>
    begun[key] == null ? [] : [[name, text(begun[key])]],
  );
  const changes = entries
    .filter(({ kind }) => MOVES.has(kind))
    .map(({ seq, at, kind, data }): [string, string] => [
      MOVES.get(kind) ?? kind,
      `${at}, entry ${seq}: ${[data.host, data.workdir, data.policy_origin, data.digest, data.by]
        .filter((value) => value != null)
        .map(text)
        .join(', ')}`,
    ]);
  return [...facts, ...changes];
}

const MOVES = new Map<string, string>([
  ['run.moved', 'Moved'],
  ['policy.adopted', 'Policy adopted'],
  ['run.rebased', 'Carried over'],
]);

function inputsOf(inputs: Json | undefined): [string, string][] {
  if (!isObject(inputs)) return [];
  return Object.entries(inputs).map(([name, value]) => [
    name,
    isObject(value) ? text(value.value ?? '(secret)') : text(value),
  ]);
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
