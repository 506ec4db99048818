import { sep } from 'node:path';
import { escapeForTerminal } from '../base/escape.ts';
import type { Severity } from '../protocol/model.ts';
import type { LintMessage, LintResult } from './message.ts';
import type { LintRule } from './rule.ts';

/** What a call of the linter found. */
export interface LintReport {
  /** Of each protocol that was linted, by path. */
  results: LintResult[];
  /** What could not be looked at, by path. */
  failures: FileFailure[];
  /** Markdown files in folders that are not protocols. */
  prose: number;
  /** Files that ignore files or the configuration leave out. */
  ignored: number;
}

export interface FileFailure {
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
export function countFindings({ results, failures }: LintReport): Counts {
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

/** What a reporter is given. */
export interface ReporterOptions {
  report: LintReport;
  counts: Counts;
  /** Every rule there is, for formats that describe them. */
  rules: readonly LintRule[];
  /** Version of kairos. */
  version: string;
  paint: Paint;
  /** SARIF: also what directives and the baseline suppress. */
  withSuppressed?: boolean;
}

/** Colours for people; without colours each returns its text unchanged. */
export interface Paint {
  red(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  dim(text: string): string;
  underline(text: string): string;
  bold(text: string): string;
}

/** Turns a report into the text of one format: whole lines, or nothing. Pure. */
export type LintReporter = (options: ReporterOptions) => string;

/** No colours at all. */
export const PLAIN: Paint = {
  red: (text) => text,
  yellow: (text) => text,
  blue: (text) => text,
  dim: (text) => text,
  underline: (text) => text,
  bold: (text) => text,
};

/** A path as other programs want it: with slashes, standard input by its name. A backslash separates on Windows only. */
export function reportPath(path: string | undefined, separator: string = sep): string {
  return path === undefined ? '<stdin>' : path.split(separator).join('/');
}

/**
 * Text for a foreign page: characters that could hide or control something become visible, line breaks stay.
 */
export function shownWords(text: string): string {
  return escapeForTerminal(text.replace(/\r\n?/g, '\n'), { keepNewlines: true });
}

/** For example `3 errors`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

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
