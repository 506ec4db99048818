import { resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import {
  type Counts,
  countFindings,
  type LintReport,
  plural,
  reasonToFail,
  type VerdictOptions,
  verdict,
} from '../../../lint/report.ts';
import type { FixedText } from '../../../lint/run.ts';
import { findInput, type LintInput } from '../../../operations/lint/documents.ts';
import { lint } from '../../../operations/lint/lint.ts';
import type { Call } from '../../command.ts';
import { destinations, isProposal, type LintOptions } from './settings.ts';
import { checkReportFiles, type LintInputFile, writeReports } from './write-reports.ts';

/** With fewer documents there is nothing to gain. */
const MANY = 50;

/** For thousands of documents in a row: a quarter less time and a third less memory (PERFORMANCE.md). */
const MANY_FLAGS = [
  // V8 treats what survives a collection by chance as long-lived, and then collects its kind rarely.
  '--no-allocation-site-pretenuring',
  // Next to nothing of a document stays: a small heap that is collected often is faster than one that may grow.
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=30',
  // A call lasts seconds: optimising less at a time costs less than it gains.
  '--max-inlined-bytecode-size-cumulative=300',
];

interface LintOnceOptions {
  /** Called when it is known where documents are, before any of them is read. */
  onFolders?: (folders: readonly string[]) => void;
}

/** One call of the linter from arguments to exit code. Throws for what keeps it from starting. */
export async function lintOnce(
  { args: [paths], options, io, output }: Call<[string[]], LintOptions>,
  { onFolders }: LintOnceOptions = {},
): Promise<number> {
  const formats = destinations(options.format, output.json);
  const input = await findInput(paths, options.stdinFilename, io);
  if (formats.some(({ file }) => file !== null))
    checkReportFiles(formats, filesRead(input, paths, options, io.cwd), io.cwd);
  onFolders?.(input.folders);
  if (input.documents.length >= MANY) io.setEngineFlags?.(MANY_FLAGS);

  const isDryRun = isProposal(options);
  const isFixing = options.fix === true || isDryRun;
  const { rules, report, changes, fixed, ...baseline } = await lint(
    input,
    {
      ...options,
      fingerprints: formats.some(({ format }) => NEED_FINGERPRINTS.has(format)),
      fix: isDryRun ? 'propose' : isFixing ? 'write' : null,
    },
    io.cwd,
  );
  if (isDryRun) (await import('../../views/diff.ts')).showChanges(changes, output);
  else if (isFixing && input.stdin !== null) output.document(changes[0]?.after ?? input.stdin);

  const counts = countFindings(report);
  const shown = options.quiet ? errorsOnly(report) : report;
  const stdoutIsTaken = isDryRun || (isFixing && input.stdin !== null);
  await writeReports(shown, {
    rules,
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
  const happened = { report, counts, fixed, changes, ...baseline, hidden, why };
  if (!output.json)
    for (const line of [...input.notices, ...notices(happened)]) output.note(output.noteColor.dim(line));
  return verdict(counts, terms);
}

/** Includes ignored files, because a report must not overwrite them either. */
function filesRead(
  { documents }: LintInput,
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
function errorsOnly(report: LintReport): LintReport {
  const results = report.results.map((result) => ({
    ...result,
    messages: result.messages.filter(({ severity }) => severity === 'error'),
  }));
  return { ...report, results };
}

interface Happened {
  report: LintReport;
  counts: Counts;
  /** Names of documents that were written. */
  fixed: readonly string[];
  changes: readonly FixedText[];
  /** Findings of the baseline that no longer occur. */
  gone: number;
  /** Findings that the baseline now matches by their fixed lines. */
  carried: number;
  /** The baseline that was written, and how many findings into it; null when none was. */
  accepted: { baseline: string; findings: number } | null;
  /** Findings that are counted and not shown. */
  hidden: number;
  /** Why the call fails, if the output doesn't show it. */
  why: string | null;
}

/** The notices after the findings, one line each. */
function notices({
  report,
  counts,
  fixed,
  changes,
  gone,
  carried,
  accepted,
  hidden,
  why,
}: Happened): string[] {
  const lines = [checked(report, counts, accepted?.findings ?? 0)];
  if (fixed.length > 0) lines.push(`Fixed ${fixed.map((name) => escapeForTerminal(name)).join(', ')}.`);
  for (const { document, gaveUp } of changes) {
    const name = escapeForTerminal(document.name ?? '<stdin>');
    if (gaveUp === 'bound') lines.push(`${name}: fixing did not finish; run it again.`);
    if (gaveUp === 'errors') lines.push(`${name}: the fix would add errors, so it was not applied.`);
  }
  if (hidden > 0) lines.push(`${plural(hidden, 'finding')} below error not shown.`);
  if (carried > 0) {
    lines.push(`${plural(carried, 'finding')} of the baseline now matched by the fixed line.`);
  }
  if (gone > 0)
    lines.push(
      `${plural(gone, 'finding')} of the baseline no longer there; write the baseline again with --update-baseline.`,
    );
  if (accepted !== null) {
    lines.push(`Wrote ${plural(accepted.findings, 'finding')} to ${escapeForTerminal(accepted.baseline)}.`);
  }
  if (why !== null) lines.push(why);
  return lines;
}

function checked(
  { results, prose, ignored }: LintReport,
  { suppressed, failures }: Counts,
  acceptedNow: number,
): string {
  const before = suppressed - acceptedNow;
  const parts = [
    results.length === 0 ? 'No protocol checked' : `${plural(results.length, 'protocol')} checked`,
  ];
  if (prose > 0) parts.push(`${plural(prose, 'file')} of prose skipped`);
  if (ignored > 0) parts.push(`${ignored} ignored`);
  if (before > 0) parts.push(`${plural(before, 'finding')} accepted before`);
  if (failures > 0) parts.push(`${failures} not readable or writable`);
  return `${parts.join(', ')}.`;
}
