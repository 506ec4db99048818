import type { Place, Severity } from '../protocol/model.ts';

/** One message about a document: a superset of vfile-message, so that its reporters and editors understand it. */
export interface LintMessage {
  reason: string;
  ruleId: string;
  /** Name space of the rule id. */
  source: 'kairos';
  /** 1-based lines and columns, columns and offsets in UTF-16 units, half-open. */
  place: Place;
  severity: Severity;
  /** vfile's severity: true an error, false a warning, null only information. */
  fatal: boolean | null;
  /** The rule's page. */
  url: string;
  note?: string;
  expected?: string[];
  actual?: string;
  fix?: Fix;
  /** Identifies the finding when lines move; only on request. */
  fingerprint?: string;
}

/** What is known of one document after linting. */
export interface LintResult {
  path: string | undefined;
  /** By place, then rule. */
  messages: LintMessage[];
  /** Accepted by a directive in the text, or in the baseline. */
  suppressed: Suppressed[];
}

export interface Suppressed {
  message: LintMessage;
  by: 'directive' | 'baseline';
  /** As the directive gives it. */
  reason: string | undefined;
}

/** The severities that a configuration can give a rule. */
export const LEVELS = ['error', 'warning', 'info', 'off'] as const satisfies readonly (Severity | 'off')[];
export type Level = (typeof LEVELS)[number];

/** Orders messages by place, then rule, then words: the same document always reads the same. */
export function compareMessages(a: LintMessage, b: LintMessage): number {
  return (
    a.place.start.offset - b.place.start.offset ||
    a.place.end.offset - b.place.end.offset ||
    compareText(a.ruleId, b.ruleId) ||
    compareText(a.reason, b.reason)
  );
}

/** By UTF-16 units: the same in every locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A minimal text edit on the original source. Offsets in UTF-16 units, half-open. */
export interface Fix {
  range: [start: number, end: number];
  replacement: string;
  safe: boolean;
}
