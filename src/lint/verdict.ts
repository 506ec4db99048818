import type { Severity } from '../protocol/model.ts';
import type { Counts } from './report.ts';

export interface VerdictOptions {
  /** The least severity that fails. */
  failOn: Severity | 'never';
  /** Warnings that are tolerated; absent: any number. */
  maxWarnings?: number;
  exitZero: boolean;
}

/**
 * The exit code of a call that came to its end: 0 nothing at or above the fail level, 1 findings, 2 something that should have
 * been looked at was not. The one place where this is decided; whatever ends a call before that is an error and exits 2.
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
