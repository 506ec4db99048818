import { hereCommand } from '../../../base/command-line.ts';
import { formatDuration } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import { snakeKeys } from '../../../base/json.ts';
import { countedReports } from '../../../operations/report.ts';
import { runsNamed } from '../../../operations/target.ts';
import type { RunReport } from '../../../report/model.ts';
import {
  compareRuns,
  type Percentiles,
  type ProtocolStatistics,
  statisticsOf,
} from '../../../report/statistics.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { heading, table } from '../../terminal/layout.ts';
import { damagedNote, readReport } from '../records/report.ts';

/** `kairos runs stats`. With `--json`: `{protocols[], damaged}`. */
export const runsStatsCommand: Handler<[string | undefined], { since?: number }> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, output, io } = call;
    const [slug] = args;
    const isOf = slug === undefined ? null : await runsNamed(ctx, slug, io);
    const rows = (await ctx.store.findRuns({ spaces: [ctx.caller.space] })).filter(
      (row) =>
        (isOf === null || isOf(row)) &&
        (options.since === undefined || Date.parse(row.begunAt) >= options.since),
    );
    if (slug !== undefined && rows.length === 0) {
      throw new KairosError('NOT_FOUND', `no run of ${JSON.stringify(slug)} fits`, {
        hint: `See the protocols that have runs with: ${hereCommand(['runs', 'stats'])}`,
      });
    }
    const { reports, damaged } = await countedReports(ctx, rows);
    if (damaged > 0 && !output.json)
      output.note(`${damaged} damaged ${damaged === 1 ? 'run is' : 'runs are'} not counted.`);
    const protocols = statisticsOf(reports);
    if (output.json) output.object(snakeKeys({ protocols, damaged }));
    else if (protocols.length === 0) output.print('No runs.');
    else if (slug === undefined) output.print(await overview(protocols, output));
    else for (const found of protocols) output.print(await detail(found, output));
    return EXIT.ok;
  });

function overview(protocols: readonly ProtocolStatistics[], { color }: Output): Promise<string> {
  const heads = [
    { head: 'PROTOCOL', style: color.cyan },
    { head: 'RUNS', align: 'right' as const },
    { head: 'SUCCESS', align: 'right' as const },
    { head: 'OPEN', align: 'right' as const },
    { head: 'P50', align: 'right' as const },
    { head: 'P95', align: 'right' as const },
    { head: 'WAITS (P50)', align: 'right' as const },
  ];
  const rows = protocols.map(({ slug, runs, successes, failures, open, duration, waiting }) => [
    slug,
    String(runs),
    share(successes, successes + failures),
    String(open),
    ...spread(duration),
    waiting === null ? '' : formatDuration(waiting.p50),
  ]);
  return table(heads, rows, { color });
}

async function detail(found: ProtocolStatistics, { color }: Output): Promise<string> {
  const { title, runs, successes, failures, open, duration, steps } = found;
  const finished = successes + failures;
  const succeeded =
    finished === 0 ? 'none finished' : `${share(successes, finished)} of the finished ones succeeded`;
  const sentence = `${runs} ${runs === 1 ? 'run' : 'runs'}, ${succeeded}, ${open} open.`;
  const took =
    duration === null
      ? ''
      : ` Half finished within ${formatDuration(duration.p50)}, 95 % within ${formatDuration(duration.p95)}.`;
  const heads = ['#', 'STEP', 'REACHED', 'P50', 'P95', 'WAITS (P50)', 'REFUSED', 'STOPPED HERE'].map(
    (head, at) => ({ head, align: at === 1 ? ('left' as const) : ('right' as const) }),
  );
  const rows = steps.map((step) => [
    String(step.number),
    step.label,
    String(step.reached),
    ...spread(step.duration),
    step.waiting === null ? '' : formatDuration(step.waiting.p50),
    String(step.refused),
    String(step.stoppedHere),
  ]);
  return [heading(title, { color }), `${sentence}${took}`, await table(heads, rows, { color })].join('\n\n');
}

function spread(found: Percentiles | null): string[] {
  return found === null ? ['', ''] : [formatDuration(found.p50), formatDuration(found.p95)];
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : `${Math.round((100 * part) / whole)} %`;
}

/** `kairos runs diff`. With `--json`: `{a, b, differences[] {where, what, a, b}, duration_ms {a, b}, steps[] {step, a_ms, b_ms}}`. */
export const runsDiffCommand: Handler<[string, string], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output } = call;
    const a = await readReport(call, ctx, args[0]);
    const b = await readReport(call, ctx, args[1]);
    for (const [at, { verification }] of [a, b].entries())
      if (verification.status === 'broken') output.note(damagedNote(ctx, args[at]!));
    const differences = compareRuns(a, b);
    if (output.json) {
      const duration_ms = { a: tookOf(a), b: tookOf(b) };
      const steps = stepDurations(a, b).map(({ step, a: one, b: other }) => ({
        step,
        a_ms: one,
        b_ms: other,
      }));
      output.object({ a: a.runId, b: b.runId, differences, duration_ms, steps });
      return EXIT.ok;
    }
    const ids = [a.runId.slice(0, 8), b.runId.slice(0, 8)];
    if (differences.length === 0)
      output.print('The two runs do not differ in inputs, revision, context, steps, proofs or output.');
    else {
      const heads = ['WHERE', 'WHAT', ...ids].map((head) => ({ head }));
      // A file or a pager gets the whole texts.
      const cells = output.columns === undefined ? (a: string, b: string) => [a, b] : shortened;
      const rows = differences.map((found) => [found.where, found.what, ...cells(found.a, found.b)]);
      output.print(await table(heads, rows, { color: output.color }));
    }
    const heads = ['DURATION', ...ids].map((head) => ({ head }));
    const shown = (ms: number | null) => (ms === null ? 'none' : formatDuration(ms));
    const rows = stepDurations(a, b).map((row) => [`step ${row.step}`, shown(row.a), shown(row.b)]);
    rows.push(['run', formatDuration(tookOf(a)), formatDuration(tookOf(b))]);
    output.print(`\n${await table(heads, rows, { color: output.color })}`);
    return EXIT.ok;
  });

const MOST = 60;
/** Characters before the first difference of two long texts. */
const LEAD = 15;

/** Two texts, cut so that their first difference is visible. */
function shortened(a: string, b: string): [string, string] {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const from = Math.max(a.length, b.length) <= MOST || same <= LEAD ? 0 : same - LEAD;
  const cut = (text: string) => {
    const rest = from === 0 ? text : `…${text.slice(from)}`;
    return rest.length > MOST ? `${rest.slice(0, MOST - 1)}…` : rest;
  };
  return [cut(a), cut(b)];
}

/** Of each step in milliseconds, working and waiting; null for a run without such a step. */
function stepDurations(a: RunReport, b: RunReport): { step: number; a: number | null; b: number | null }[] {
  const of = ({ steps }: RunReport, at: number) => {
    const step = steps[at];
    return step === undefined ? null : step.workingMs + step.waitingMs;
  };
  return Array.from({ length: Math.max(a.steps.length, b.steps.length) }, (_, at) => ({
    step: at + 1,
    a: of(a, at),
    b: of(b, at),
  }));
}

function tookOf({ stretches }: { stretches: readonly { from: number; to: number }[] }): number {
  return stretches.reduce((sum, { from, to }) => sum + to - from, 0);
}
