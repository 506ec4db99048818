import { formatDuration } from '../base/duration.ts';
import { isObject, jsonOf } from '../base/json.ts';
import type { EntryData, Json } from '../ledger/entry.ts';
import { waitsText } from '../run/notices.ts';
import type { RunReport, Stretch } from './model.ts';
import type {
  Doubt,
  ReportApproval,
  ReportCommand,
  ReportDecision,
  ReportRollback,
  ReportStep,
} from './steps.ts';
import { END_UNKNOWN, type ReportAttempt, valueInOneLine } from './timeline-text.ts';

/** In a word or two. */
export function verdictOf({ outcome, verification }: Pick<RunReport, 'outcome' | 'verification'>): string {
  if (verification.status === 'broken') return 'Record damaged';
  return outcome === null ? 'Open' : outcome === 'success' ? 'Success' : 'Failure';
}

/** The run in one sentence. */
export function headline({ steps, selfReported, outcome }: RunReport): string {
  const count = (state: ReportStep['state']) => steps.filter((step) => step.state === state).length;
  const parts = [`${count('proven')} of ${steps.length} steps proven`];
  for (const state of ['shown', 'failed', 'skipped', 'waived', 'pending', 'not reached'] as const) {
    if (count(state) > 0) parts.push(`${count(state)} ${state}`);
  }
  const claims = selfReported ? ' Every proof is a claim of the agent or user who ran it.' : '';
  return `${parts.join(', ')}${outcome === null ? ', not finished' : ''}.${claims}`;
}

/** What an open run waits for and since when, in a sentence; none if it waits for no person. */
export function waitingSince({ steps, stretches, outcome }: RunReport): string[] {
  const last = stretches.at(-1);
  const waits = steps.find((step) => step.waits !== null)?.waits ?? null;
  if (outcome !== null || waits === null || last === undefined) return [];
  const since = last.kind === 'person' || last.kind === 'approval' ? last.from : last.to;
  const what = waits === 'resume' ? 'is approved and waits to be resumed' : waitsText(waits);
  return [`It ${what} since ${formatInstant(new Date(since).toISOString())}.`];
}

/** For example `2 observed, 1 claimed`. */
export function worth({ assurance }: Pick<RunReport, 'assurance'>): string {
  const counts = (['attested', 'observed', 'client', 'claimed'] as const).filter(
    (name) => assurance[name] > 0,
  );
  return counts.map((name) => `${assurance[name]} ${name}`).join(', ') || 'none';
}

/** The duration of a run, and its time of waiting for people, in milliseconds. */
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

/** The same in words. The record of an open run ends with its last entry. */
export function runDurationText(report: Pick<RunReport, 'stretches' | 'sealedAt'>): string {
  const { total, waiting } = durationsOf(report);
  const people = waiting === 0 ? '' : `, of that ${formatDuration(waiting)} waiting for people`;
  return `${formatDuration(total)}${people}${report.sealedAt === null ? ', up to the last entry' : ''}`;
}

/** `15 Jan 2026, 12:00 UTC`. */
export function formatInstant(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const [, day, month, year, clock] = /, (\d\d) (\w{3}) (\d{4}) (\d\d:\d\d)/.exec(time.toUTCString()) ?? [];
  return day === undefined ? at : `${Number(day)} ${month} ${year}, ${clock} UTC`;
}

const DOUBTS: Record<Doubt, string> = {
  command: 'has an unknown outcome: the end of its command is not known',
  permit: 'has an unknown outcome: its permit was used, and the result is not known',
  rollback: 'has an unknown outcome: the end of its rollback is not known',
};

type OpenStep = Pick<ReportStep, 'waits' | 'doubt'>;

/** What a step waits for, and whether its outcome is unknown, in a few words. */
export function waitWords({ waits, doubt }: OpenStep): string[] {
  return [...(waits === null ? [] : [waitsText(waits)]), ...(doubt === null ? [] : ['unknown outcome'])];
}

/** The same, with what isn't known. */
export function waitText({ waits, doubt }: OpenStep): string[] {
  return [...waitWords({ waits, doubt: null }), ...(doubt === null ? [] : [DOUBTS[doubt]])];
}

/** For example `pending, waits for approval`. */
export function stateText(step: OpenStep & Pick<ReportStep, 'state'>): string {
  return [step.state, ...waitWords(step)].join(', ');
}

/** What happened in a step. */
type HistoryItem =
  | { kind: 'decision'; item: ReportDecision }
  | { kind: 'approval'; item: ReportApproval }
  | { kind: 'command'; item: ReportCommand }
  | { kind: 'attempt'; item: ReportAttempt }
  | { kind: 'rollback'; item: ReportRollback };

/** What happened in a step, in the order of the record. */
export function historyOf(step: ReportStep): HistoryItem[] {
  const all: HistoryItem[] = [
    ...step.decisions.map((item) => ({ kind: 'decision' as const, item })),
    ...step.approvals.map((item) => ({ kind: 'approval' as const, item })),
    ...step.commands.map((item) => ({ kind: 'command' as const, item })),
    ...step.attempts.map((item) => ({ kind: 'attempt' as const, item })),
    ...step.rollbacks.map((item) => ({ kind: 'rollback' as const, item })),
  ];
  return all.toSorted((a, b) => a.item.seq - b.item.seq);
}

/** What a person did about a proposal, for example `approved by ada, signed`. */
export function approvalText({ decision, by, signed, reason }: ReportApproval): string {
  return `${decision} by ${by}, ${signed ? 'signed' : 'at a terminal'}${reason === null ? '' : `: ${reason}`}`;
}

const DECISIONS: Record<string, string> = {
  ALLOW: 'allowed by the gate',
  DENY: 'denied by the gate',
  HOLD: 'waiting for approval',
  HALT: 'not decided, because the gate failed',
};

/** What the gate did about a proposal, for example `proposal: waiting for approval`. */
export function decisionText({ decision, rollback, reasons }: ReportDecision): string {
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  return `proposal${rollback ? ' of the rollback' : ''}: ${DECISIONS[decision] ?? decision}${why}`;
}

/** For example `rolled back by command, verified`. */
export function rollbackText({ succeeded, strategy, verified, late }: ReportRollback): string {
  const check = verified === null ? '' : verified ? ', verified' : ', not verified';
  return `${succeeded ? '' : 'not '}rolled back by ${strategy}${check}${late ? ', after its deadline' : ''}`;
}

/** A command of whose end nothing is known; it may still be running. */
export function isInDoubt({ ended }: ReportCommand): boolean {
  return ended === END_UNKNOWN;
}

/** What the parts of a proof are called, in the order in which they are shown; others come before them. */
export const PROOF_WORDS: Record<string, string> = {
  confirmation: 'answer',
  timestamp: 'given at',
  exit_code: 'exit code',
  duration_ms: 'duration',
  stdout: 'output',
  stderr: 'error output',
};

/** A proposal that the gate decided about, as name and value: everything that its record has. */
export function proposedRows({ data }: ReportDecision): [string, string][] {
  if (data === null) return [];
  const {
    proposal_id: _id,
    ts_ms: _time,
    actor: _actor,
    approval_class: _class,
    ...fields
  } = fieldsOf(data.proposal_json);
  return [
    ['proposed by', valueInOneLine(data.actor)],
    ...Object.entries(fields).map(([name, value]): [string, string] => [
      PARTS[name] ?? name.replaceAll('_', ' '),
      partLines(value).join('\n'),
    ]),
    [
      'approvals needed',
      `${valueInOneLine(data.approvals_needed)} (class ${valueInOneLine(data.approval_class)})`,
    ],
    ['policy', valueInOneLine(data.policy_digest)],
    ['proposal', valueInOneLine(data.proposal_hash)],
  ].filter((row): row is [string, string] => row[1] !== '');
}

const PARTS: Record<string, string> = {
  preconditions: 'evidence',
  risk_envelope: 'risk',
  time_window: 'can run',
};

/** An answer to a proposal, as name and value: what was signed, and by which key. */
export function answerRows({ data }: ReportApproval): [string, string][] {
  const { binding } = fieldsOf(data.statement);
  return [
    ['proposal', valueInOneLine(data.proposal_hash)],
    ...(data.key == null ? [] : [['key', valueInOneLine(data.key)] as [string, string]]),
    ...(binding === undefined ? [] : [['binding', valueInOneLine(binding)] as [string, string]]),
    ['counts until', momentText(data.expires_at_ms)],
  ];
}

function fieldsOf(text: Json | undefined): EntryData {
  const value = jsonOf(String(text));
  return isObject(value) ? (value as EntryData) : {};
}

function partLines(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.map((item) => partLines(item).join(', '));
  if (!isObject(value)) return [valueInOneLine(value)];
  return Object.entries(value).map(([name, item]) =>
    name.endsWith('_ms')
      ? `${name.slice(0, -3).replaceAll('_', ' ')}: ${momentText(item as Json)}`
      : `${name.replaceAll('_', ' ')}: ${partLines(item as Json).join(', ')}`,
  );
}

/** Milliseconds as an instant, or as a duration if they are too few for one. */
function momentText(value: Json | undefined): string {
  const ms = typeof value === 'number' ? value : Number.NaN;
  if (Number.isNaN(new Date(ms).getTime())) return valueInOneLine(value);
  return ms < 1e11 ? formatDuration(ms) : new Date(ms).toISOString();
}
