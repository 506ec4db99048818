import { sha256Hex } from '../../base/canonical.ts';
import { escapeJson } from '../../base/escape.ts';
import { numberedFingerprints } from '../fingerprint.ts';
import type { LintResult } from '../message.ts';
import { type Reporter, reportPath } from './reporter.ts';

const SEVERITY = { error: 'major', warning: 'minor', info: 'info' } as const;

/** GitLab's Code Quality report: one JSON array. */
export const gitlab: Reporter = ({ report }) => {
  const issues = [
    ...report.results.flatMap(issuesOf),
    ...report.failures.map(({ path, reason }) => ({
      description: reason,
      check_name: 'kairos',
      fingerprint: hash(reportPath(path), reason),
      severity: 'blocker',
      location: { path: reportPath(path), lines: { begin: 1 } },
    })),
  ];
  return `${escapeJson(JSON.stringify(issues, null, 2))}\n`;
};

function issuesOf({ path, messages }: LintResult) {
  const fingerprints = numberedFingerprints(messages);
  return messages.map(({ reason, ruleId, severity, place: { start, end } }, at) => ({
    description: reason,
    check_name: ruleId,
    fingerprint: hash(reportPath(path), fingerprints[at]!),
    severity: SEVERITY[severity],
    location: { path: reportPath(path), lines: { begin: start.line, end: end.line } },
  }));
}

/** Unique in the whole report, as GitLab wants it. */
function hash(path: string, fingerprint: string): string {
  return sha256Hex(`${path}\n${fingerprint}`).slice(0, 32);
}
