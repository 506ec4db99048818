import type { RunReport } from './model.ts';
import { PASSED, type ReportStep } from './steps.ts';
import { valueInOneLine } from './timeline-text.ts';
import { durationsOf, PROOF_WORDS } from './words.ts';

/** How the runs of one protocol went. Durations in milliseconds. */
export interface ProtocolStatistics {
  slug: string;
  title: string;
  runs: number;
  open: number;
  successes: number;
  failures: number;
  duration: Percentiles | null;
  waiting: Percentiles | null;
  steps: StepStatistics[];
}

interface StepStatistics {
  number: number;
  label: string;
  /** Runs in which the step was reached. */
  reached: number;
  duration: Percentiles | null;
  /** Proofs that were refused. */
  refused: number;
  /** Runs that ended, or wait, at this step. */
  stoppedHere: number;
  waiting: Percentiles | null;
}

export interface Percentiles {
  p50: number;
  p95: number;
}

/** Statistics for each protocol that the runs are of, by slug. */
export function statisticsOf(reports: readonly RunReport[]): ProtocolStatistics[] {
  const bySlug = groupBySlug(reports);
  return [...bySlug]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([slug, runs]) => protocolStatistics(slug, runs));
}

function groupBySlug(reports: readonly RunReport[]): Map<string, RunReport[]> {
  const groups = new Map<string, RunReport[]>();
  for (const report of reports) groups.set(report.slug, [...(groups.get(report.slug) ?? []), report]);
  return groups;
}

function protocolStatistics(slug: string, runs: readonly RunReport[]): ProtocolStatistics {
  const times = runs.filter(({ outcome }) => outcome !== null).map(durationsOf);
  const longest = runs.reduce((a, b) => (b.steps.length > a.steps.length ? b : a));
  return {
    slug,
    title: longest.title,
    runs: runs.length,
    open: runs.filter(({ outcome }) => outcome === null).length,
    successes: runs.filter(({ outcome }) => outcome === 'success').length,
    failures: runs.filter(({ outcome }) => outcome === 'failure').length,
    duration: percentiles(times.map(({ total }) => total)),
    waiting: percentiles(times.map(({ waiting }) => waiting)),
    steps: longest.steps.map(({ number, label }) => stepStatistics(number, label, runs)),
  };
}

function stepStatistics(number: number, label: string, runs: readonly RunReport[]): StepStatistics {
  const reached = runs
    .map((run) => ({ run, step: run.steps[number - 1], isStop: stoppedAt(run) === number }))
    .filter(({ step, isStop }) => step !== undefined && (isStop || step.state !== 'not reached'));
  const passed = reached.filter(
    ({ step }) => step !== undefined && step.state !== 'skipped' && PASSED.has(step.state),
  );
  return {
    number,
    label,
    reached: reached.length,
    duration: percentiles(passed.map(({ step }) => (step?.workingMs ?? 0) + (step?.waitingMs ?? 0))),
    waiting: percentiles(passed.map(({ step }) => step?.waitingMs ?? 0)),
    refused: reached.reduce(
      (sum, { step }) => sum + (step?.attempts.filter(({ accepted }) => !accepted).length ?? 0),
      0,
    ),
    stoppedHere: reached.filter(({ isStop }) => isStop).length,
  };
}

/** The step at which a run ended without success, or waits: the first one that it has not left behind. */
function stoppedAt({ outcome, steps }: RunReport): number | null {
  if (outcome === 'success') return null;
  return steps.find(({ state }) => !PASSED.has(state))?.number ?? null;
}

/** By the nearest rank; null of nothing. */
export function percentiles(values: readonly number[]): Percentiles | null {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  const [p50, p95] = [at(0.5), at(0.95)];
  return p50 === undefined || p95 === undefined ? null : { p50, p95 };
}

/** One thing that two runs differ in, as texts. An empty text: the run does not have it. */
interface Difference {
  where: string;
  what: string;
  a: string;
  b: string;
}

/** What two runs differ in: revision, outcome, inputs, context, and step by step state, proofs and output. Never times. */
export function compareRuns(a: RunReport, b: RunReport): Difference[] {
  const differences: Difference[] = [];
  const hold = (where: string, what: string, one: string, other: string) => {
    if (one !== other) differences.push({ where, what, a: one, b: other });
  };
  hold('run', 'protocol', a.slug, b.slug);
  hold('run', 'revision', a.digest, b.digest);
  hold('run', 'outcome', a.outcome ?? 'open', b.outcome ?? 'open');
  hold('run', 'by', a.actor, b.actor);
  holdNamed('input', a.inputs, b.inputs, hold);
  holdNamed('context', a.context, b.context, hold);
  for (let at = 0; at < Math.max(a.steps.length, b.steps.length); at += 1) {
    const [one, other] = [a.steps[at], b.steps[at]];
    const where = `step ${at + 1}`;
    for (const [what, of] of STEP_FACTS)
      hold(where, what, one === undefined ? '' : of(one), other === undefined ? '' : of(other));
  }
  return differences;
}

const STEP_FACTS: [what: string, of: (step: ReportStep) => string][] = [
  ['title', ({ label }) => label],
  ['state', ({ state }) => state],
  ['assurance', ({ assurance }) => assurance ?? ''],
  [
    'refusals',
    ({ attempts }) =>
      attempts
        .filter(({ accepted }) => !accepted)
        .map(({ code }) => code)
        .join(', '),
  ],
  [
    'proof',
    ({ attempts }) =>
      proofText(
        attempts.findLast(({ accepted, type }) => accepted && type !== 'closing account')?.proof ?? {},
      ),
  ],
  ['output', ({ commands }) => commands.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('')],
];

/** A proof in words, without what differs each time. */
function proofText(proof: NonNullable<ReportStep['attempts'][number]['proof']>): string {
  const { duration_ms: _duration, timestamp: _time, ...rest } = proof;
  return Object.entries(rest)
    .map(
      ([name, value]) =>
        `${PROOF_WORDS[name] ?? name.replaceAll('_', ' ')} ${valueInOneLine(value).trimEnd()}`,
    )
    .join(', ');
}

function holdNamed(
  where: string,
  a: readonly [string, string][],
  b: readonly [string, string][],
  hold: (where: string, what: string, a: string, b: string) => void,
): void {
  const [one, other] = [new Map(a), new Map(b)];
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    hold(where, name, one.get(name) ?? '', other.get(name) ?? '');
  }
}
