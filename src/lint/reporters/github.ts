import type { LintMessage } from '../message.ts';
import { plural, type Reporter, type ReporterOptions, reportPath, shownWords } from './reporter.ts';

const COMMAND = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands of GitHub Actions, which annotate the lines of a pull request. */
export const github: Reporter = ({ report }) => {
  const lines = report.results.flatMap(({ path, messages }) =>
    messages.map((message) => annotation(reportPath(path), message)),
  );
  for (const { path, reason } of report.failures) {
    lines.push(`::error file=${property(reportPath(path))},title=kairos::${data(reason)}`);
  }
  return lines.map((line) => `${line}\n`).join('');
};

/** The page that GitHub shows for the job, in markdown; it is appended to the file that GITHUB_STEP_SUMMARY names. */
export function githubSummary({ report, counts }: ReporterOptions): string {
  const { results, failures, prose } = report;
  const totals = `${plural(counts.errors, 'error')}, ${plural(counts.warnings, 'warning')}, ${counts.infos} info in ${plural(results.length, 'protocol')}`;
  const passed = prose === 0 ? '' : `; ${plural(prose, 'file')} of prose passed over`;
  const rows = results.flatMap(({ path, messages }) =>
    messages.map(
      ({ severity, reason, ruleId, place: { start } }) =>
        `| ${severity} | ${code(`${reportPath(path)}:${start.line}:${start.column}`)} | ${cell(reason)} | ${code(ruleId)} |`,
    ),
  );
  for (const { path, reason } of failures)
    rows.push(`| error | ${code(reportPath(path))} | ${cell(reason)} | |`);
  const table = ['| | place | finding | rule |', '|---|---|---|---|', ...rows.slice(0, MAX_ROWS)];
  const rest = rows.length > MAX_ROWS ? [``, `${rows.length - MAX_ROWS} more are in the log.`] : [];
  return [
    `### kairos lint`,
    '',
    `${totals}${passed}.`,
    ...(rows.length > 0 ? ['', ...table, ...rest] : []),
    '',
    '',
  ].join('\n');
}

/** GitHub cuts a summary off at 1 MiB. */
const MAX_ROWS = 500;

function annotation(path: string, { severity, reason, ruleId, place: { start, end } }: LintMessage): string {
  // Columns are only understood within one line.
  const columns =
    start.line === end.line ? `,col=${start.column},endColumn=${Math.max(start.column, end.column - 1)}` : '';
  const range = `line=${start.line},endLine=${end.line}${columns}`;
  return `::${COMMAND[severity]} file=${property(path)},${range},title=${property(`kairos ${ruleId}`)}::${data(reason)}`;
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
