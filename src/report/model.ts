import { formatDuration } from '../base/duration.ts';
import { isObject } from '../base/json.ts';
import type { EntryData, Json, LedgerEntry, Seal } from '../ledger/entry.ts';
import { toLines } from '../ledger/export.ts';
import { type Verification, verifyLedger } from '../ledger/verify.ts';
import { type AssuranceCounts, claimsOnly } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Assurance } from '../protocol/schema.ts';
import { followedDigests } from '../run/entry-data.ts';
import type { RunRow } from '../store/port.ts';
import { type ReportStep, stepsOf, textOf } from './steps.ts';
import { type TimelineItem, timeline } from './timeline.ts';

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
  /** Of the revision, as its author wrote them; empty where the revision isn't available. */
  description: string;
  completionRule: string;
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
  /** What people wrote next to the record after it was sealed. */
  notes: ReportNote[];
  /** The exported lines, the seal last. */
  lines: readonly string[];
}

/** A note next to a sealed run. */
export interface ReportNote {
  at: string;
  by: string;
  text: string;
  /** Fingerprint of the key that signed it; null: it was changed, or is of another record. */
  signed_by: string | null;
}

export interface ReportSource {
  lines: readonly string[];
  entries: readonly LedgerEntry[];
  /** Null if the revision is not available: steps are then shown without their text. */
  content: ChainContent | null;
}

/** Makes the report of a run out of its record. Verifies the same lines that the report contains. */
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
    slug: textOf(begun.slug),
    title: textOf(begun.title),
    description: content?.description ?? '',
    completionRule: content?.completion_rule ?? '',
    digest: followedDigests(entries).at(-1) ?? '',
    space: textOf(begun.space),
    actor: textOf(begun.actor),
    begunAt: entries[0]?.at ?? '',
    sealedAt: sealed?.at ?? null,
    outcome: sealed === undefined ? null : sealed.data.outcome === 'success' ? 'success' : 'failure',
    message: sealed === undefined ? null : textOf(sealed.data.message),
    context: contextOf(entries, begun),
    inputs: entries
      .filter(({ kind }, at) => at === 0 || kind === 'run.rebased')
      .flatMap(({ data: { inputs, secret_inputs: secrets } }) => [
        ...inputsOf(inputs),
        ...(Array.isArray(secrets) ? secrets : []).map((name): [string, string] => [
          textOf(name),
          '(secret)',
        ]),
      ]),
    assurance,
    selfReported: claimsOnly(assurance),
    verification: verifyLedger(lines),
    steps,
    stretches,
    events: timeline(
      entries,
      steps.map(({ label }) => label),
    ),
    notes: [],
    lines,
  };
}

/** What is left to report of a pruned run: how it ended, and how long it lasted. */
export function reportPruned(row: RunRow): RunReport {
  const { runId, slug, title, digest, space, actor, begunAt, sealedAt, outcome, head, entryCount } = row;
  const [from, to] = [Date.parse(begunAt), Date.parse(sealedAt ?? begunAt)];
  return {
    runId,
    slug,
    title,
    description: '',
    completionRule: '',
    digest,
    space,
    actor,
    begunAt,
    sealedAt,
    outcome,
    message: null,
    context: [],
    inputs: [],
    assurance: { claimed: 0, client: 0, observed: 0, attested: 0 },
    selfReported: false,
    verification: {
      status: 'whole',
      run_id: runId,
      entries: entryCount,
      head,
      sealed_by: null,
      findings: [],
    },
    steps: [],
    stretches: [{ step: 0, from, to, kind: 'walker' }],
    events: [],
    notes: [],
    lines: [],
  };
}

/** The same from the entries and the seal in a store. */
export function reportStored(
  entries: readonly LedgerEntry[],
  seal: Seal | null,
  content: ChainContent | null,
): RunReport {
  return reportRun({ lines: toLines(entries, seal), entries, content });
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

/** What each stretch between two entries was spent on. */
function stretchesOf(entries: readonly LedgerEntry[]): Stretch[] {
  const stretches: Stretch[] = [];
  let step = 1;
  let demand = '';
  for (const [at, entry] of entries.entries()) {
    const { kind, data } = entry;
    if (typeof data.step === 'number') step = data.step;
    if (kind === 'step.shown') demand = textOf(data.demand);
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
  ['actor_account', 'Account'],
  ['session', 'Session'],
  ['policy_origin', 'Policy'],
  ['policy_digest', 'Policy digest'],
  ['store', 'Store'],
  ['tool_version', 'kairos'],
];

const INTERFACES: Record<string, string> = { cli: 'command line', mcp: 'MCP server' };

function contextOf(entries: readonly LedgerEntry[], begun: EntryData): [string, string][] {
  const facts = CONTEXT.flatMap(([key, name]): [string, string][] => {
    const value = begun[key] == null ? null : textOf(begun[key]);
    return value === null ? [] : [[name, key === 'face' ? (INTERFACES[value] ?? value) : value]];
  });
  const changes = entries
    .filter(({ kind }) => MOVES.has(kind))
    .map(({ seq, at, kind, data }): [string, string] => [
      MOVES.get(kind) ?? kind,
      `${at}, entry ${seq}: ${[data.host, data.workdir, data.policy_origin, data.digest, data.by]
        .filter((value) => value != null)
        .map(textOf)
        .join(', ')}`,
    ]);
  return [...facts, ...changes];
}

const MOVES = new Map<string, string>([
  ['run.moved', 'Moved'],
  ['policy.adopted', 'Policy adopted'],
  ['run.rebased', 'Carried over'],
]);

/** The names of changes among the context of a report. */
export const CHANGES_OF_CONTEXT: ReadonlySet<string> = new Set(MOVES.values());

function inputsOf(inputs: Json | undefined): [string, string][] {
  if (!isObject(inputs)) return [];
  return Object.entries(inputs).map(([name, value]) => [
    name,
    isObject(value) ? textOf(value.value ?? '(secret)') : textOf(value),
  ]);
}
