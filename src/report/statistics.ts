import { durationsOf, type RunReport } from './model.ts';

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

export interface StepStatistics {
  number: number;
  label: string;
  /** Runs in which the step was reached. */
  reached: number;
  duration: Percentiles | null;
  /** Proofs that were refused. */
  refused: number;
  /** Runs that ended, or stand, at this step. */
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
    .map((run) => ({ run, step: run.steps[number - 1] }))
    .filter(({ step }) => step !== undefined && step.state !== 'not reached');
  const passed = reached.filter(({ step }) => step?.state === 'proven' || step?.state === 'waived');
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
    stoppedHere: reached.filter(
      ({ run, step }) => run.outcome !== 'success' && (step?.state === 'pending' || step?.state === 'failed'),
    ).length,
  };
}

/** By the nearest rank; null of nothing. */
export function percentiles(values: readonly number[]): Percentiles | null {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  const [p50, p95] = [at(0.5), at(0.95)];
  return p50 === undefined || p95 === undefined ? null : { p50, p95 };
}
