import { isObject } from '../base/json.ts';
import type { EntryData, Json, LedgerEntry } from '../ledger/entry.ts';
import { type Verification, verifyLedger } from '../ledger/verify.ts';
import { type AssuranceCounts, claimsOnly } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Assurance } from '../protocol/schema.ts';
import { placesInLast } from '../run/decide/attest.ts';
import { carriedOver, followedDigests } from '../run/entry-data.ts';
import { filledContent } from '../run/inputs.ts';
import type { RunRow } from '../store/port.ts';
import { type ReportStep, stepsOf } from './steps.ts';
import { type TimelineItem, timeline } from './timeline.ts';
import { contextOf, SECRET, valueInOneLine } from './timeline-text.ts';

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
  /** Steps of earlier revisions that were worked on, and are not in the last revision. */
  earlierSteps: ReportStep[];
  /** The revisions that it followed, the last one last, with the labels of their steps; none where one isn't available. */
  revisions: { digest: string; labels: string[] }[];
  stretches: Stretch[];
  events: TimelineItem[];
  /** What people wrote into the record. */
  recordNotes: RecordNote[];
  /** What people wrote next to the record after it was sealed. */
  notes: ReportNote[];
  /** The exported lines, the seal last. */
  lines: readonly string[];
}

/** A note in a record. */
export interface RecordNote {
  at: string;
  by: string;
  text: string;
}

/** A note next to a sealed run. */
export interface ReportNote extends RecordNote {
  /** Fingerprint of the key that signed it; null: it was changed, or is of another record. */
  signed_by: string | null;
}

export interface ReportSource {
  lines: readonly string[];
  entries: readonly LedgerEntry[];
  /** The revisions that it followed; null if one is not available: its steps are then shown without their text. */
  contents: readonly (ChainContent | null)[];
}

/** Makes the report of a run out of its record. Verifies the same lines that the report contains. */
export function reportRun({ lines, entries, contents }: ReportSource): RunReport {
  // Of a damaged record, its first entry may be gone or in another place.
  const begun: EntryData = entries.find(({ kind }) => kind === 'run.begun')?.data ?? {};
  const sealed = entries.find(({ kind }) => kind === 'run.sealed');
  const written = contents.at(-1) ?? null;
  const declared = Object.keys(written?.inputs ?? {});
  const inputs = entries
    .filter(({ kind }) => kind === 'run.begun' || kind === 'run.rebased')
    .flatMap(({ data }) => inputsOf(data))
    .sort(([a], [b]) => declared.indexOf(a) - declared.indexOf(b));
  // Texts are shown as the run showed them.
  const captures = entries.flatMap(({ data: { captures } }) =>
    Object.entries(isObject(captures) ? captures : {}),
  );
  const values = [...inputs, ...captures].filter(
    (named): named is [string, string] => typeof named[1] === 'string' && named[1] !== SECRET,
  );
  const content = written === null ? null : filledContent(written, Object.fromEntries(values));
  const { placed, earlier } = placeEntries(entries, contents);
  const all = stepsOf(placed, content, earlier);
  const steps = all.slice(0, all.length - earlier.length);
  const stretches = stretchesOf(placed);
  const digests = followedDigests(entries);
  const revisions = digests.map((digest, at) => ({
    digest,
    labels: (contents[at]?.steps ?? []).map(({ label }) => label),
  }));
  for (const { step, from, to, kind } of stretches) {
    const found = all[step - 1];
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
    slug: valueInOneLine(begun.slug ?? ''),
    title: valueInOneLine(begun.title ?? 'A run without its beginning'),
    description: content?.description ?? '',
    completionRule: content?.completion_rule ?? '',
    digest: digests.at(-1) ?? '',
    space: valueInOneLine(begun.space ?? ''),
    actor: valueInOneLine(begun.actor ?? ''),
    begunAt: entries[0]?.at ?? '',
    sealedAt: sealed?.at ?? null,
    outcome: sealed === undefined ? null : sealed.data.outcome === 'success' ? 'success' : 'failure',
    message: sealed === undefined ? null : valueInOneLine(sealed.data.message),
    context: contextOf(entries, begun),
    inputs,
    assurance,
    selfReported: claimsOnly(assurance),
    verification: verifyLedger(lines),
    steps,
    earlierSteps: all
      .slice(steps.length)
      .filter(({ attempts, commands, decisions }) => [...attempts, ...commands, ...decisions].length > 0),
    revisions,
    stretches,
    events: timeline(entries, revisions),
    recordNotes: entries
      .filter(({ kind }) => kind === 'run.noted')
      .map(({ at, data }) => ({ at, by: valueInOneLine(data.by), text: valueInOneLine(data.text) })),
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
    earlierSteps: [],
    revisions: [],
    stretches: [{ step: 0, from, to, kind: 'walker' }],
    events: [],
    recordNotes: [],
    notes: [],
    lines: [],
  };
}

/**
 * The entries with the numbers that their steps have in the last revision. A step of an earlier revision that isn't in the last one
 * gets a number after its steps, and is returned.
 */
function placeEntries(
  entries: readonly LedgerEntry[],
  contents: readonly (ChainContent | null)[],
): { placed: readonly LedgerEntry[]; earlier: ChainContent['steps'] } {
  const rebases = entries.filter(({ kind }) => kind === 'run.rebased');
  if (rebases.length === 0) return { placed: entries, earlier: [] };
  const carried = [[], ...rebases.map(carriedOver)];
  const places = placesInLast(
    carried.map((steps, at) => ({ content: contents[at] ?? null, carried: steps })),
  );
  const count = Number(rebases.at(-1)?.data.step_count);
  const earlier = new Map<string, ChainContent['steps'][number]>();
  let revision = 0;
  const placed = entries.map((entry) => {
    if (entry.kind === 'run.rebased') revision += 1;
    const { step } = entry.data;
    if (typeof step !== 'number') return entry;
    const place = places[revision]?.(step) ?? null;
    if (place !== null) return { ...entry, data: { ...entry.data, step: place } };
    const key = `${revision}/${step}`;
    const known = contents[revision]?.steps[step - 1] ?? { label: `Step ${step}`, body: '', block: null };
    earlier.set(key, known);
    return { ...entry, data: { ...entry.data, step: count + [...earlier.keys()].indexOf(key) + 1 } };
  });
  return { placed, earlier: [...earlier.values()] };
}

/** What each stretch between two entries was spent on. */
function stretchesOf(entries: readonly LedgerEntry[]): Stretch[] {
  const stretches: Stretch[] = [];
  let step = 1;
  let spent: Stretch['kind'] = 'walker';
  for (const [at, entry] of entries.entries()) {
    const isSameStep = typeof entry.data.step !== 'number' || entry.data.step === step;
    if (!isSameStep) step = Number(entry.data.step);
    spent = spentAfter(entry, isSameStep ? spent : 'walker');
    const next = entries[at + 1];
    if (entry.kind === 'run.sealed') break;
    const from = Date.parse(entry.at);
    const to = next === undefined ? from : Date.parse(next.at);
    // An open run that waits for a person has a last stretch, without an end.
    const isGoingOn = next === undefined && (spent === 'person' || spent === 'approval');
    if (to <= from && !isGoingOn) continue;
    const before = stretches.at(-1);
    if (before?.kind === spent && before.step === step && before.to === from) before.to = to;
    else stretches.push({ step, from, to, kind: spent });
  }
  return stretches;
}

/** What the time after an entry is spent on. A proposal on HOLD waits until it is denied or the run continues with it. */
function spentAfter({ kind, data }: LedgerEntry, before: Stretch['kind']): Stretch['kind'] {
  switch (kind) {
    case 'command.started':
      return 'command';
    case 'proposal.decided':
      return data.decision === 'HOLD' ? 'approval' : 'walker';
    case 'approval.given':
      return data.decision === 'deny' ? 'walker' : before;
    case 'step.shown':
      if (before === 'approval') return before;
      return data.demand === 'user_input' ? 'person' : 'walker';
    default:
      return ASIDE.has(kind) && before !== 'command' ? before : 'walker';
  }
}

/** Kinds that end no waiting. */
const ASIDE = new Set<string>([
  'run.noted',
  'run.left',
  'run.resumed',
  'run.moved',
  'run.rebased',
  'policy.adopted',
  'trust.given',
]);

function inputsOf({ inputs, secret_inputs: secrets }: EntryData): [string, string][] {
  const named = Object.entries(isObject(inputs) ? inputs : {}).map(([name, value]): [string, string] => [
    name,
    valueInOneLine((isObject(value) ? (value.value ?? SECRET) : value) as Json),
  ]);
  const hidden = Array.isArray(secrets) ? secrets : [];
  return [...named, ...hidden.map((name): [string, string] => [valueInOneLine(name), SECRET])];
}
