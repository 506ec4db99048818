import { escapeForTerminal } from '../../../base/escape.ts';
import { type Counts, type LintReport, plural } from '../../../lint/report.ts';
import type { FixedText } from '../../../lint/run.ts';

export interface Happened {
  report: LintReport;
  counts: Counts;
  /** Names of documents that were written. */
  mended: readonly string[];
  changes: readonly FixedText[];
  /** Findings of the baseline that are no longer there. */
  gone: number;
  /** Findings that the baseline now knows by their mended lines. */
  carried: number;
  /** The baseline that was written, and how many findings into it; null when none was. */
  accepted: { baseline: string; findings: number } | null;
  /** Findings that are counted and not shown. */
  hidden: number;
  /** Why the call fails, where what is shown does not say it. */
  why: string | null;
}

/** What there is to say beside the findings, one line each. */
export function notices({
  report,
  counts,
  mended,
  changes,
  gone,
  carried,
  accepted,
  hidden,
  why,
}: Happened): string[] {
  const lines = [checked(report, counts, accepted?.findings ?? 0)];
  if (mended.length > 0) lines.push(`Mended ${mended.map((name) => escapeForTerminal(name)).join(', ')}.`);
  for (const { document, gaveUp } of changes) {
    const name = escapeForTerminal(document.name ?? '<stdin>');
    if (gaveUp === 'bound') lines.push(`${name}: mending did not come to an end; run it again.`);
    if (gaveUp === 'errors')
      lines.push(`${name}: a mend would have left more errors than before; it was not made.`);
  }
  if (hidden > 0) lines.push(`${plural(hidden, 'finding')} below error not shown.`);
  if (carried > 0) {
    lines.push(`${plural(carried, 'finding')} of the baseline now known by the mended line.`);
  }
  if (gone > 0)
    lines.push(
      `${plural(gone, 'finding')} of the baseline no longer there; write it anew with --update-baseline.`,
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
  if (prose > 0) parts.push(`${plural(prose, 'file')} of prose passed over`);
  if (ignored > 0) parts.push(`${ignored} ignored`);
  if (before > 0) parts.push(`${plural(before, 'finding')} accepted before`);
  if (failures > 0) parts.push(`${failures} not readable or writable`);
  return `${parts.join(', ')}.`;
}
