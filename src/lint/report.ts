import type { LintMessage, LintResult } from './message.ts';

/** What a call of the linter found. */
export interface LintReport {
  /** Of each protocol that was linted, by path. */
  results: LintResult[];
  /** What could not be looked at, by path. */
  failures: Failure[];
  /** Markdown files in folders that are not protocols. */
  prose: number;
  /** Files that ignore files or the configuration leave out. */
  ignored: number;
}

export interface Failure {
  path: string;
  /** For people, one sentence. */
  reason: string;
}

export interface Counts {
  errors: number;
  warnings: number;
  infos: number;
  /** Messages that `--fix` would fix, and those that also need `--unsafe-fixes`. */
  fixable: number;
  unsafelyFixable: number;
  suppressed: number;
  failures: number;
}

/** Counts the findings of a report. */
export function countsOf({ results, failures }: LintReport): Counts {
  const counts: Counts = {
    errors: 0,
    warnings: 0,
    infos: 0,
    fixable: 0,
    unsafelyFixable: 0,
    suppressed: 0,
    failures: failures.length,
  };
  for (const { messages, suppressed } of results) {
    counts.suppressed += suppressed.length;
    for (const message of messages) count(message, counts);
  }
  return counts;
}

function count({ severity, fix }: LintMessage, counts: Counts): void {
  if (severity === 'error') counts.errors += 1;
  else if (severity === 'warning') counts.warnings += 1;
  else counts.infos += 1;
  if (fix?.safe === true) counts.fixable += 1;
  else if (fix !== undefined) counts.unsafelyFixable += 1;
}
