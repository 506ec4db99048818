import type { Severity } from '../protocol/model.ts';
import type { Counts } from './report.ts';
import { plural } from './reporters/reporter.ts';

export interface VerdictOptions {
  /** The least severity that fails. */
  failOn: Severity | 'never';
  /** Warnings that are tolerated; absent: any number. */
  maxWarnings?: number;
  exitZero: boolean;
}

/**
 * The exit code of a call that came to its end: 0 nothing at or above the fail level, 1 findings, 2 something
 * could not be checked. This is the only place that decides; an error before that exits with 2.
 */
export function verdict(
  { errors, warnings, infos, failures }: Counts,
  { failOn, maxWarnings, exitZero }: VerdictOptions,
): 0 | 1 | 2 {
  if (failures > 0) return 2;
  if (exitZero) return 0;
  if (maxWarnings !== undefined && warnings > maxWarnings) return 1;
  const failing = { error: errors, warning: errors + warnings, info: errors + warnings + infos, never: 0 };
  return failing[failOn] > 0 ? 1 : 0;
}

/**
 * Why a call ends with 1 if the shown findings don't show it: a limit was exceeded, or those that fail it are
 * `hidden`. Null otherwise.
 */
export function reasonToFail(counts: Counts, options: VerdictOptions, hidden: boolean): string | null {
  if (verdict(counts, options) !== 1) return null;
  const { errors, warnings, infos } = counts;
  const { failOn, maxWarnings } = options;
  if (maxWarnings !== undefined && warnings > maxWarnings) {
    return `${plural(warnings, 'warning')}; at most ${maxWarnings} ${maxWarnings === 1 ? 'is' : 'are'} allowed.`;
  }
  if (!hidden || errors > 0) return null;
  const found =
    failOn === 'info' && infos > 0
      ? `${plural(warnings, 'warning')} and ${infos} info`
      : plural(warnings, 'warning');
  return `${found}; with --fail-on ${failOn} none is allowed.`;
}
