import { escapeXml } from '../../base/escape.ts';
import type { LintMessage } from '../message.ts';
import { type LintReporter, plural, type ReporterOptions, reportPath, shownWords } from '../report.ts';

/** JUnit's XML: a suite a document, a failed test a finding; a document without findings is a test that passed. */
export const junit: LintReporter = ({ report, counts }) => {
  const suites = report.results.map(({ path, messages }) => {
    const name = reportPath(path);
    const tests =
      messages.length === 0 ? [testCase(name, 'lint', '')] : messages.map((message) => failed(name, message));
    return suite(name, tests, messages.length, 0);
  });
  for (const { path, reason } of report.failures) {
    const name = reportPath(path);
    suites.push(
      suite(name, [testCase(name, 'read', `<error message="${escapeXml(shownWords(reason))}"/>`)], 0, 1),
    );
  }
  const tests = report.results.reduce(
    (sum, { messages }) => sum + Math.max(1, messages.length),
    counts.failures,
  );
  const failures = counts.errors + counts.warnings + counts.infos;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="kairos lint" tests="${tests}" failures="${failures}" errors="${counts.failures}">\n${suites.join('')}</testsuites>\n`;
};

function suite(name: string, tests: string[], failures: number, errors: number): string {
  return `  <testsuite name="${escapeXml(name)}" tests="${tests.length}" failures="${failures}" errors="${errors}">\n${tests.join('')}  </testsuite>\n`;
}

function failed(path: string, { ruleId, severity, reason, place: { start } }: LintMessage): string {
  const where = `${path}:${start.line}:${start.column}`;
  return testCase(
    path,
    `${ruleId} ${start.line}:${start.column}`,
    `<failure type="${severity}" message="${escapeXml(shownWords(reason))}">${escapeXml(where)}</failure>`,
  );
}

function testCase(path: string, name: string, content: string): string {
  return `    <testcase classname="${escapeXml(path)}" name="${escapeXml(name)}">${content}</testcase>\n`;
}

/** The XML of Checkstyle, which many build servers read. */
export const checkstyle: LintReporter = ({ report }) => {
  const files = report.results.map(({ path, messages }) =>
    element(
      reportPath(path),
      messages.map(({ place: { start }, severity, reason, ruleId }) =>
        error(start.line, start.column, severity, reason, `kairos.${ruleId}`),
      ),
    ),
  );
  const failed = report.failures.map(({ path, reason }) =>
    element(reportPath(path), [error(1, 1, 'error', reason, 'kairos')]),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n${[...files, ...failed].join('')}</checkstyle>\n`;
};

function element(path: string, errors: string[]): string {
  return `  <file name="${escapeXml(path)}">\n${errors.join('')}  </file>\n`;
}

function error(line: number, column: number, severity: string, message: string, source: string): string {
  return `    <error line="${line}" column="${column}" severity="${severity}" message="${escapeXml(shownWords(message))}" source="${escapeXml(source)}"/>\n`;
}

const COMMAND = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands of GitHub Actions, which annotate the lines of a pull request. */
export const github: LintReporter = ({ report }) => {
  const lines = report.results.flatMap(({ path, messages }) =>
    messages.map((message) => annotation(reportPath(path), message)),
  );
  for (const { path, reason } of report.failures) {
    lines.push(
      `::error file=${property(reportPath(path))},title=kairos::${data(`${reportPath(path)} ${reason}`)}`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
};

/** GitHub rejects a step's summary above 1 MiB, so that all of it would be lost. */
export const SUMMARY_BYTES = 1024 * 1024;

/**
 * The page that GitHub shows for the job, in markdown, for the file that GITHUB_STEP_SUMMARY names. Errors come first, and
 * findings that don't fit into `bytes` are counted instead.
 */
export function githubSummary({ report, counts }: ReporterOptions, bytes = SUMMARY_BYTES): string {
  const { results, failures, prose } = report;
  const totals = `${plural(counts.errors, 'error')}, ${plural(counts.warnings, 'warning')}, ${counts.infos} info in ${plural(results.length, 'protocol')}`;
  const skipped = prose === 0 ? '' : `; ${plural(prose, 'file')} of prose skipped`;
  const rows = results.flatMap(({ path, messages }) =>
    messages.map(({ severity, reason, ruleId, place: { start } }) => ({
      severity,
      row: `| ${severity} | ${code(`${reportPath(path)}:${start.line}:${start.column}`)} | ${cell(reason)} | ${code(ruleId)} |`,
    })),
  );
  const unread = failures.map(({ path, reason }) => ({
    severity: 'error' as const,
    row: `| error | ${code(reportPath(path))} | ${cell(reason)} | |`,
  }));
  const sorted = [...unread, ...rows].sort((a, b) => RANK[a.severity] - RANK[b.severity]);
  const head = `### kairos lint\n\n${totals}${skipped}.\n`;
  const table = '\n| | place | finding | rule |\n|---|---|---|---|\n';
  let room = bytes - Buffer.byteLength(head + table) - 100;
  let shown = 0;
  for (const { row } of sorted) {
    room -= Buffer.byteLength(row) + 1;
    if (room < 0) break;
    shown += 1;
  }
  const more = sorted.length > shown ? `\n${sorted.length - shown} more are in the log.\n` : '';
  const body = sorted.slice(0, shown).map(({ row }) => `${row}\n`);
  return `${head}${shown === 0 ? '' : table}${body.join('')}${more}\n`;
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

function annotation(path: string, { severity, reason, ruleId, place: { start, end } }: LintMessage): string {
  // Columns are only understood within one line.
  const columns =
    start.line === end.line ? `,col=${start.column},endColumn=${Math.max(start.column, end.column - 1)}` : '';
  const range = `line=${start.line},endLine=${end.line}${columns}`;
  return `::${COMMAND[severity]} file=${property(path)},${range},title=${property(`kairos ${ruleId}`)}::${data(`${path}:${start.line}:${start.column} ${reason} [${ruleId}]`)}`;
}

function data(text: string): string {
  return shownWords(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Text that stays text in a cell of a table of GFM. */
function cell(text: string): string {
  return shownWords(text)
    .replace(/\n+/g, ' ')
    .replace(/[\\`*_{}[\]<>#|!~&@]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function code(text: string): string {
  return `<code>${cell(text)}</code>`;
}
