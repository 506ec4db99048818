import { formatDuration } from '../base/duration.ts';
import { escapeXml } from '../base/escape.ts';
import type { RecordNote, RunReport } from './model.ts';
import { visibleText } from './page.ts';
import type { ReportStep } from './steps.ts';
import { CHANGES_OF_CONTEXT, isNotStarted } from './timeline-text.ts';
import {
  answerRows,
  approvalText,
  decisionText,
  durationsOf,
  formatInstant,
  headline,
  historyOf,
  isInDoubt,
  proposedRows,
  rollbackText,
  runDurationText,
  stateText,
  verdictOf,
  waitingSince,
  waitText,
  worth,
} from './words.ts';

/** The report as it fits a pull request or a ticket. Several runs make a comparison. */
export function reportMarkdown(reports: readonly RunReport[]): string {
  const [first] = reports;
  if (reports.length === 1 && first !== undefined) return oneRun(first);
  return `${['## Comparison', '', ...comparisonRows(reports), '', ...reports.flatMap((report) => [oneRun(report), ''])].join('\n').trimEnd()}\n`;
}

function oneRun(report: RunReport): string {
  const { title, runId, slug, actor, begunAt, message, steps, verification, digest } = report;
  const record =
    verification.status === 'whole'
      ? `intact, ${verification.entries} entries, sealed by \`${verification.sealed_by?.slice(0, 16)}…\``
      : verification.status === 'unsealed'
        ? `open, ${verification.entries} entries`
        : `damaged: ${verification.findings
            .filter(({ severity }) => severity === 'error')
            .map(({ message: said }) => said)
            .join(' ')}`;
  return `${[
    `## ${plain(title)}: ${verdictOf(report).toLowerCase()}`,
    '',
    [headline(report), ...waitingSince(report)].join(' '),
    ...(message === null ? [] : ['', ...quote(message)]),
    '',
    '| | |',
    '|---|---|',
    `| Run | \`${runId}\` |`,
    `| Protocol | ${plain(slug)} (\`${digest.slice(0, 12)}\`) |`,
    `| By | ${plain(actor)} |`,
    `| Begun | ${formatInstant(begunAt)} |`,
    `| Duration | ${runDurationText(report)} |`,
    `| Proofs | ${worth(report)} |`,
    ...report.inputs.map(([name, value]) => `| Input ${plain(name)} | ${plain(value)} |`),
    ...report.context
      .filter(([name]) => CHANGES_OF_CONTEXT.has(name))
      .map(([name, value]) => `| ${name} | ${plain(value)} |`),
    `| Record | ${record} |`,
    '',
    '| # | Step | State | Worth | Time |',
    '|---:|---|---|---|---:|',
    ...steps.map(
      (step) =>
        `| ${step.number} | ${plain(step.label)} | ${stateText(step)} | ${step.assurance ?? ''} | ${formatDuration(step.workingMs + step.waitingMs)} |`,
    ),
    ...steps.flatMap((step) => troubles(step, `${step.number} ${step.label}`)),
    ...report.earlierSteps.flatMap((step) => troubles(step, `${step.label}, of an earlier revision`)),
    ...report.recordNotes.flatMap(noteLines),
    ...report.notes.flatMap((note) =>
      note.signed_by === null ? ['', '**A note was changed after it was signed.**'] : noteLines(note),
    ),
  ].join('\n')}\n`;
}

function noteLines({ at, by, text }: RecordNote): string[] {
  return ['', `**Note by ${plain(by)}, ${formatInstant(at)}**`, '', ...quote(text)];
}

/** What a reviewer has to see, in the order of the record: what went wrong, what the gate and people decided, what is open. */
function troubles(step: ReportStep, name: string): string[] {
  const lines = [
    ...historyOf(step).flatMap(lineOf),
    ...(step.skippedBecause === null ? [] : [`skipped: ${step.skippedBecause}`]),
    ...waitText(step),
  ].map((line) => `* ${plain(line)}`);
  return lines.length === 0 ? [] : ['', `**${plain(name)}**`, '', ...lines];
}

function lineOf(found: ReturnType<typeof historyOf>[number]): string[] {
  switch (found.kind) {
    case 'decision':
      return [decisionText(found.item), ...rowsLine('proposed', proposedRows(found.item))];
    case 'approval':
      return [
        approvalText(found.item),
        ...rowsLine('signed', found.item.signed ? answerRows(found.item) : []),
      ];
    case 'command':
      if (isInDoubt(found.item)) return [`the end of this command is not known: ${found.item.cmd}`];
      return isNotStarted(found.item.ended) ? [`the command ${found.item.ended}`] : [];
    case 'attempt': {
      const { accepted, code, assurance, reason, captures } = found.item;
      if (accepted) return captures.map(([name, value]) => `captured ${name}: ${value}`);
      return [`refused: ${code} (${assurance})${reason === null ? '' : `: ${reason}`}`];
    }
    case 'rollback':
      return [`${rollbackText(found.item)}, by ${found.item.by} (${found.item.assurance})`];
  }
}

function rowsLine(name: string, rows: readonly [string, string][]): string[] {
  if (rows.length === 0) return [];
  return [`${name}: ${rows.map(([part, text]) => `${part}: ${text.replaceAll('\n', ', ')}`).join('; ')}`];
}

function comparisonRows(reports: readonly RunReport[]): string[] {
  const row = (name: string, of: (report: RunReport) => string) =>
    `| ${name} | ${reports.map((report) => plain(of(report))).join(' | ')} |`;
  const most = Math.max(...reports.map(({ steps }) => steps.length));
  return [
    row('Run', ({ runId }) => runId.slice(0, 8)),
    `|---|${reports.map(() => '---|').join('')}`,
    row('Verdict', verdictOf),
    row('Revision', ({ digest }) => digest.slice(0, 12)),
    row('By', ({ actor }) => actor),
    row('Took', (report) => formatDuration(durationsOf(report).total)),
    row('Proofs', worth),
    ...[...new Set(reports.flatMap(({ inputs }) => inputs.map(([name]) => name)))].map((name) =>
      row(name, ({ inputs }) => new Map(inputs).get(name) ?? 'none'),
    ),
    ...Array.from({ length: most }, (_, at) =>
      row(`Step ${at + 1}`, ({ steps }) => steps[at]?.state ?? 'none'),
    ),
  ];
}

/** Foreign text in one line, without markup of markdown or HTML. */
function plain(text: string): string {
  return visibleText(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>|#~&!]/g, String.raw`\$&`)
    .replace(/\b(https?|ftp|www)(:|\.)/gi, '$1\\$2')
    .replace(/@/g, '@\u2060')
    .replace(/\b(GH-)(?=\d)/gi, '$1\u2060');
}

function quote(text: string): string[] {
  return text.split('\n').map((line) => `> ${plain(line)}`);
}

/** Runs as JUnit's XML: a suite each, with a case for each step and one for the run as a whole. */
export function reportJunit(reports: readonly RunReport[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${reports.map(suite).join('')}</testsuites>\n`;
}

type Result = { tag: 'failure' | 'error' | 'skipped'; message: string; text?: string };

function suite(report: RunReport): string {
  const { title, runId, begunAt, steps } = report;
  const cases = [
    ...steps.map((step) => ({
      name: `${step.number} ${step.label}`,
      ms: step.workingMs + step.waitingMs,
      result: stepResult(step),
      output: outputOf(step),
    })),
    { name: 'run', ms: 0, result: runResult(report), output: '' },
  ];
  const count = (tag: Result['tag']) => cases.filter(({ result }) => result?.tag === tag).length;
  return [
    `  <testsuite name="${attribute(title)}" id="${attribute(runId)}" timestamp="${attribute(begunAt)}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}" time="${seconds(durationsOf(report).total)}">\n`,
    properties(report),
    ...cases.map(
      ({ name, ms, result, output }) =>
        `    <testcase name="${attribute(name)}" classname="${attribute(title)}" time="${seconds(ms)}">${result === null ? '' : resultElement(result)}${output === '' ? '' : `<system-out>${escaped(output)}</system-out>`}</testcase>\n`,
    ),
    '  </testsuite>\n',
  ].join('');
}

function resultElement({ tag, message, text = '' }: Result): string {
  return `<${tag} message="${attribute(message)}"${text === '' ? '/>' : `>${escaped(text)}</${tag}>`}`;
}

/** How the run ended, by whom its record was sealed, its inputs, and what was changed about it since it began. */
function properties({ outcome, verification, inputs, context }: RunReport): string {
  const all = [
    ['outcome', outcome ?? 'open'] as const,
    ['sealed_by', verification.sealed_by ?? 'none'] as const,
    ...inputs.map(([name, value]) => [`input.${name}`, value] as const),
    ...context.filter(([name]) => CHANGES_OF_CONTEXT.has(name)),
  ];
  const each = all.map(
    ([name, value]) => `<property name="${attribute(name)}" value="${attribute(value)}"/>`,
  );
  return `    <properties>${each.join('')}</properties>\n`;
}

/** Only a run whose record is whole, and sealed as a success, passes. */
function runResult({ outcome, message, verification: { status, findings } }: RunReport): Result | null {
  if (status === 'broken') {
    const text = findings.map((finding) => finding.message).join('\n');
    return { tag: 'error', message: 'the record is damaged', text };
  }
  if (outcome === 'failure') {
    return { tag: 'failure', message: 'the run ended as a failure', text: message ?? '' };
  }
  return outcome === null ? { tag: 'error', message: 'the run is open' } : null;
}

function stepResult(step: ReportStep): Result | null {
  const { state, doubt, skippedBecause } = step;
  if (state === 'failed') return { tag: 'failure', message: reasonOf(step), text: failureText(step) };
  if (doubt !== null) return { tag: 'error', message: stateText(step), text: waitText(step).join('\n') };
  return state === 'proven' || state === 'shown'
    ? null
    : { tag: 'skipped', message: skippedBecause ?? stateText(step) };
}

function outputOf({ commands, attempts }: ReportStep): string {
  return [
    ...commands.map(({ stdout, stderr }) => `${stdout}${stderr}`),
    ...attempts.map(({ proof }) => (typeof proof?.stdout === 'string' ? proof.stdout : '')),
  ].join('');
}

/** How the last command ended, and what it or the refused proof has put out. */
function failureText({ attempts, commands }: ReportStep): string {
  const command = commands.at(-1);
  const proof = attempts.findLast(({ accepted }) => !accepted)?.proof;
  const texts =
    command === undefined
      ? [proof?.stdout, proof?.stderr, proof?.result_json]
      : [command.ended, command.stdout, command.stderr];
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n');
}

function reasonOf(step: ReportStep): string {
  const last = step.attempts.findLast(({ accepted }) => !accepted);
  return last === undefined || step.doubt !== null
    ? ['not proven', ...waitText(step)].join(', ')
    : [last.code, last.reason].filter((part) => part !== null).join(': ');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Text of an element. */
function escaped(text: string): string {
  return escapeXml(visibleText(text), { keepNewlines: true, keepTabs: true });
}

function attribute(text: string): string {
  return escaped(text.replace(/\s+/g, ' '));
}
