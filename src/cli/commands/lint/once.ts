import { resolve } from 'node:path';
import { configurationFinder } from '../../../lint/config/configuration.ts';
import {
  countFindings,
  type LintReport,
  reasonToFail,
  type VerdictOptions,
  verdict,
} from '../../../lint/report.ts';
import { LINT_RULES } from '../../../lint/rules/index.ts';
import { lintDocuments } from '../../../lint/run.ts';
import type { Call } from '../../command.ts';
import { type Accepted, acceptBaseline, updateBaseline } from './accepted.ts';
import { findInput, type Input, showChanges, writeChanges } from './documents.ts';
import { type Happened, notices } from './notices.ts';
import { destinations, isProposal, type LintOptions, ruleOverrides } from './settings.ts';
import { checkReportFiles, type LintInputFile, writeReports } from './write-reports.ts';

/** With fewer documents there is nothing to gain. */
const MANY = 50;

/** Suit V8 to thousands of documents one after the other: a quarter less time and a third less memory (PERFORMANCE.md). */
const MANY_FLAGS = [
  // V8 takes what survives a collection by chance for long-lived and puts its like where it is seldom collected from then on.
  '--no-allocation-site-pretenuring',
  // Next to nothing of a document stays: a small heap that is collected often is faster than one that may grow.
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=30',
  // A call lasts seconds: optimising less at a time costs less than it gains.
  '--max-inlined-bytecode-size-cumulative=300',
];

export interface LintOnceOptions {
  /** Called when it is known where documents are, before any of them is read. */
  onFolders?: (folders: readonly string[]) => void;
}

/** One call of the linter from arguments to exit code. Throws for what keeps it from starting. */
export async function lintOnce(
  { args: [paths], options, io, output }: Call<[string[]], LintOptions>,
  { onFolders }: LintOnceOptions = {},
): Promise<number> {
  const formats = destinations(options.format, output.json);
  const configurations = finder(options, io.cwd);
  const input = await findInput(paths, options.stdinFilename, io);
  if (formats.some(({ file }) => file !== null))
    checkReportFiles(formats, filesRead(input, paths, options, io.cwd), io.cwd);
  onFolders?.(input.folders);
  if (input.documents.length >= MANY) io.setEngineFlags?.(MANY_FLAGS);

  const isDryRun = isProposal(options);
  const isFixing = options.fix === true || isDryRun;
  const { report, changes } = await lintDocuments(input.documents, {
    rules: LINT_RULES,
    configurations,
    cwd: io.cwd,
    inlineConfig: options.inlineConfig,
    fingerprints:
      options.baseline !== undefined || formats.some(({ format }) => NEED_FINGERPRINTS.has(format)),
    fix: isFixing ? { mode: isDryRun ? 'propose' : 'mend', unsafe: options.unsafeFixes ?? false } : null,
  });
  report.ignored += input.ignored;
  report.failures.push(...input.failures);

  if (isDryRun) showChanges(changes, output);
  else if (isFixing && input.stdin !== null) output.document(changes[0]?.after ?? input.stdin);
  const written = isFixing && !isDryRun && input.stdin === null ? writeChanges(changes) : NOTHING_WRITTEN;
  report.failures.push(...written.failures);

  const baseline = options.baseline ?? null;
  let accepted: Happened['accepted'] = null;
  if (baseline !== null && options.updateBaseline) {
    const { errors, warnings, infos } = countFindings(report);
    await updateBaseline(report.results, baseline, io.cwd);
    accepted = { baseline, findings: errors + warnings + infos };
  }
  // A baseline that has just been written knows the mended lines, and a proposal has mended none.
  const isAsBefore = accepted !== null || isDryRun;
  const mended = isAsBefore ? undefined : { changes, written: written.mended };
  const { gone, carried, failure } =
    baseline === null ? NO_BASELINE : await acceptBaseline(report.results, baseline, io.cwd, mended);
  if (failure !== null) report.failures.push(failure);

  const counts = countFindings(report);
  const shown = options.quiet ? errorsOnly(report) : report;
  const stdoutIsTaken = isDryRun || (isFixing && input.stdin !== null);
  await writeReports(shown, {
    destinations: formats,
    total: counts,
    stdoutIsTaken,
    withSuppressed: options.sarifSuppressed === true,
    io,
    output,
  });
  const hidden = options.quiet ? counts.warnings + counts.infos : 0;
  const terms: VerdictOptions = {
    failOn: options.failOn,
    exitZero: options.exitZero === true,
    ...(options.maxWarnings === undefined ? {} : { maxWarnings: options.maxWarnings }),
  };
  const why = reasonToFail(counts, terms, hidden > 0);
  const happened = { report, counts, mended: written.mended, changes, gone, carried, accepted, hidden, why };
  if (!output.json)
    for (const line of [...input.notices, ...notices(happened)]) output.note(output.noteColor.dim(line));
  return verdict(counts, terms);
}

/** Named files too that are ignored: a report in their place would be a loss all the same. */
function filesRead(
  { documents }: Input,
  paths: readonly string[],
  { config, baseline }: LintOptions,
  cwd: string,
): LintInputFile[] {
  const named = [...paths.filter((path) => path !== '-'), ...(config ? [config] : []), baseline ?? []].flat();
  return [
    ...named.map((name) => ({ name, file: resolve(cwd, name) })),
    ...documents.flatMap(({ name, file }) => (file === null ? [] : [{ name: name ?? file, file }])),
  ];
}

const NEED_FINGERPRINTS = new Set(['sarif', 'gitlab']);
const NO_BASELINE: Accepted = { gone: 0, carried: 0, failure: null };
const NOTHING_WRITTEN = { mended: [], failures: [] };

/** The configurations that count in a call. */
export function finder({ config, rule }: LintOptions, cwd: string) {
  return configurationFinder({
    rules: LINT_RULES,
    overrides: ruleOverrides(rule),
    ...(config === undefined ? {} : { file: config === false ? null : resolve(cwd, config) }),
  });
}

function errorsOnly(report: LintReport): LintReport {
  const results = report.results.map((result) => ({
    ...result,
    messages: result.messages.filter(({ severity }) => severity === 'error'),
  }));
  return { ...report, results };
}
