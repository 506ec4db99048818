import { escapeForTerminal } from '../../base/escape.ts';
import type { LintMessage } from '../message.ts';
import { type Counts, type LintReporter, type Paint, plural } from '../report.ts';
import { gitlab, json, jsonl, sarif } from './json.ts';
import { checkstyle, github, junit } from './xml.ts';

/** For people: the documents, under each its findings, and a line that counts them. */
const stylish: LintReporter = ({ report, counts, paint }) => {
  const lines = report.results.flatMap(({ path, messages }) =>
    messages.length === 0
      ? []
      : [paint.underline(escapeForTerminal(path ?? '<stdin>')), ...rows(messages, paint), ''],
  );
  for (const { reason } of report.failures) lines.push(`${paint.red('error')}  ${escapeForTerminal(reason)}`);
  if (report.failures.length > 0) lines.push('');
  const total = counts.errors + counts.warnings + counts.infos;
  if (total > 0) lines.push(...summary(total, counts, paint));
  return lines.map((line) => `${line}\n`).join('');
};

function rows(messages: readonly LintMessage[], paint: Paint): string[] {
  const places = messages.map(({ place: { start } }) => `${start.line}:${start.column}`);
  const width = places.reduce((most, { length }) => Math.max(most, length), 0);
  return messages.flatMap(({ severity, reason, ruleId, note }, at) => {
    const place = paint.dim(places[at]!.padStart(width));
    const row = `  ${place}  ${severityWord(severity, paint)}  ${escapeForTerminal(reason)}  ${paint.dim(escapeForTerminal(ruleId))}`;
    return note === undefined
      ? [row]
      : [row, `  ${' '.repeat(width)}           ${paint.dim(escapeForTerminal(note))}`];
  });
}

function severityWord(severity: LintMessage['severity'], paint: Paint): string {
  const word = severity.padEnd('warning'.length);
  return { error: paint.red, warning: paint.yellow, info: paint.blue }[severity](word);
}

function summary(
  total: number,
  { errors, warnings, infos, fixable, unsafelyFixable }: Counts,
  paint: Paint,
): string[] {
  const color = errors > 0 ? paint.red : paint.yellow;
  const parts = [plural(errors, 'error'), plural(warnings, 'warning')];
  if (infos > 0) parts.push(`${infos} info`);
  const lines = [paint.bold(color(`${plural(total, 'finding')} (${parts.join(', ')})`))];
  if (fixable > 0) lines.push(`  ${fixable} can be fixed with --fix.`);
  if (unsafelyFixable > 0)
    lines.push(`  ${unsafelyFixable} can be fixed with --fix --unsafe-fixes; check the changes.`);
  return lines;
}

/** One line a finding, as editors and grep like it: `path:line:column: severity: reason [rule]`. */
const compact: LintReporter = ({ report }) => {
  const lines = report.results.flatMap(({ path, messages }) =>
    messages.map(({ place: { start }, severity, reason, ruleId }) =>
      escapeForTerminal(
        `${path ?? '<stdin>'}:${start.line}:${start.column}: ${severity}: ${reason} [${ruleId}]`,
      ),
    ),
  );
  for (const { reason } of report.failures) lines.push(escapeForTerminal(`error: ${reason}`));
  return lines.map((line) => `${line}\n`).join('');
};

/** Every format by its `--format` name. A new one is a new file and a line here. */
export const REPORTERS = {
  stylish,
  compact,
  json,
  jsonl,
  sarif,
  github,
  gitlab,
  junit,
  checkstyle,
} satisfies Record<string, LintReporter>;

export type Format = keyof typeof REPORTERS;
