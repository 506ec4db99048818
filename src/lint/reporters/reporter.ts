import { sep } from 'node:path';
import { escapeForTerminal } from '../../base/escape.ts';
import type { Counts, LintReport } from '../report.ts';
import type { Rule } from '../rule.ts';

/** What a reporter is given. */
export interface ReporterOptions {
  report: LintReport;
  counts: Counts;
  /** Every rule there is, for formats that describe them. */
  rules: readonly Rule[];
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
export type Reporter = (options: ReporterOptions) => string;

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
