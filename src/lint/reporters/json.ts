import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sha256Hex } from '../../base/canonical.ts';
import { escapeJson } from '../../base/escape.ts';
import { numberedFingerprints } from '../baseline.ts';
import type { LintMessage, LintResult, Suppressed } from '../message.ts';
import { type LintReporter, reportPath } from '../report.ts';
import type { LintRule } from '../rule.ts';

/** One object, in one line: everything that is known. */
export const json: LintReporter = ({ report, counts, version }) => {
  const { results, failures, prose, ignored } = report;
  return `${escapeJson(
    JSON.stringify({
      version: 1,
      tool: { name: 'kairos', version },
      results: results.map(({ path, messages, suppressed }) => ({
        path: path ?? null,
        messages,
        suppressed,
      })),
      failures,
      summary: { documents: results.length, prose, ignored, ...counts },
    }),
  )}\n`;
};

/** One object a line: a message with its path, or what could not be read. */
export const jsonl: LintReporter = ({ report }) =>
  [
    ...report.results.flatMap(({ path, messages }) =>
      messages.map((message) => ({ path: path ?? null, ...message })),
    ),
    ...report.failures.map(({ path, reason }) => ({ path, severity: 'error', reason, fatal: true })),
  ]
    .map((line) => `${escapeJson(JSON.stringify(line))}\n`)
    .join('');

const SEVERITY = { error: 'major', warning: 'minor', info: 'info' } as const;

/** GitLab's Code Quality report: one JSON array. */
export const gitlab: LintReporter = ({ report }) => {
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

const LEVEL = { error: 'error', warning: 'warning', info: 'note' } as const;

/**
 * SARIF 2.1.0 (OASIS), as code scanning services read it. Suppressed findings are left out unless `withSuppressed`, because
 * GitHub opens alerts for them.
 */
export const sarif: LintReporter = ({ report, rules, version, withSuppressed = false }) => {
  const indexes = new Map(rules.map(({ id }, at) => [id, at]));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'kairos', semanticVersion: version, rules: rules.map(descriptor) } },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { description: { text: 'The root of the repository.' } } },
        invocations: [
          {
            executionSuccessful: report.failures.length === 0,
            toolExecutionNotifications: report.failures.map(({ path, reason }) => ({
              level: 'error',
              message: { text: reason },
              locations: [{ physicalLocation: { artifactLocation: artifact(path) } }],
            })),
          },
        ],
        results: report.results.flatMap((result) => resultsOf(result, indexes, withSuppressed)),
      },
    ],
  };
  return `${escapeJson(JSON.stringify(log, null, 2))}\n`;
};

function descriptor({ id, severity, summary, why, family }: LintRule) {
  return {
    id,
    name: id.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: summary },
    fullDescription: { text: why },
    help: { text: why, markdown: why },
    defaultConfiguration: { level: LEVEL[severity] },
    properties: { category: family, tags: [family] },
  };
}

function resultsOf(
  { path, messages, suppressed }: LintResult,
  indexes: ReadonlyMap<string, number>,
  withSuppressed: boolean,
) {
  const all = [
    ...messages.map((message) => ({ message, held: null })),
    ...suppressed.map((held) => ({ message: held.message, held })),
  ];
  // Numbered before any are left out, so that accepting a finding doesn't rename the others.
  const fingerprints = numberedFingerprints(all.map(({ message }) => message));
  const shown = withSuppressed ? all : all.slice(0, messages.length);
  return shown.map(({ message, held }, at) => ({
    ruleId: message.ruleId,
    ruleIndex: indexes.get(message.ruleId) ?? -1,
    level: LEVEL[message.severity],
    message: { text: message.note === undefined ? message.reason : `${message.reason} ${message.note}` },
    locations: [{ physicalLocation: { artifactLocation: artifact(path), region: region(message) } }],
    partialFingerprints: { 'kairosLine/v1': fingerprints[at]! },
    ...(message.fix === undefined ? {} : { fixes: [fixOf(path, message)] }),
    suppressions: held === null ? [] : [suppressionOf(held)],
  }));
}

function suppressionOf({ by, reason }: Suppressed) {
  return {
    kind: by === 'directive' ? 'inSource' : 'external',
    ...(reason === undefined ? {} : { justification: reason }),
  };
}

function region({ place: { start, end } }: LintMessage) {
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

function fixOf(path: string | undefined, { fix, ruleId }: LintMessage) {
  const [start, end] = fix!.range;
  const description = fix!.safe ? `Fixes ${ruleId}.` : `Fixes ${ruleId}; may change what the protocol means.`;
  return {
    description: { text: description },
    artifactChanges: [
      {
        artifactLocation: artifact(path),
        replacements: [
          {
            deletedRegion: { charOffset: start, charLength: end - start },
            insertedContent: { text: fix!.replacement },
          },
        ],
      },
    ],
  };
}

/** Relative paths are resolved against the root of the sources where the log is read. */
function artifact(path: string | undefined) {
  if (path !== undefined && isAbsolute(path)) return { uri: pathToFileURL(path).href };
  const uri = reportPath(path).split('/').map(encodeURIComponent).join('/');
  return { uri, uriBaseId: 'SRCROOT' };
}
