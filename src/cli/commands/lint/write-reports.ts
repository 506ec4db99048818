import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import { VERSION } from '../../../base/version.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { type Counts, countsOf, type LintReport } from '../../../lint/report.ts';
import { githubSummary } from '../../../lint/reporters/github.ts';
import { REPORTERS } from '../../../lint/reporters/index.ts';
import { PLAIN, type ReporterOptions } from '../../../lint/reporters/reporter.ts';
import { RULES } from '../../../lint/rules/index.ts';
import type { CliIo } from '../../io.ts';
import type { Output } from '../../output.ts';
import type { Destination } from './settings.ts';

/** Formats whose text is JSON: its escapes are JSON's. */
const JSON_FORMATS = new Set(['json', 'jsonl', 'sarif', 'gitlab']);

export interface ReportsOptions {
  destinations: readonly Destination[];
  /** Of all findings, those that are not shown as well. */
  total: Counts;
  /** Standard output belongs to a document: what would go there goes to standard error. */
  stdoutIsTaken: boolean;
  io: CliIo;
  output: Output;
}

/** Writes the report in every format that was asked for. Throws FILE_UNWRITABLE. */
export async function writeReports(report: LintReport, options: ReportsOptions): Promise<void> {
  const { destinations, total, stdoutIsTaken, io, output } = options;
  const common = { report, counts: countsOf(report), rules: RULES, version: VERSION };
  for (const { format, file } of destinations) {
    const colors = stdoutIsTaken ? output.noteColor : output.color;
    const counts = format === 'json' ? total : common.counts;
    const text = REPORTERS[format]({ ...common, counts, paint: file === null ? colors : PLAIN });
    if (file !== null) await writeFileAtomically(resolve(io.cwd, file), text, true);
    else if (text !== '') show(text, format, options);
  }
  const summary = io.env.GITHUB_STEP_SUMMARY;
  if (summary && destinations.some(({ format }) => format === 'github')) {
    appendSummary(summary, { ...common, counts: total, paint: PLAIN }, output);
  }
}

function show(text: string, format: string, { stdoutIsTaken, output }: ReportsOptions): void {
  const line = text.replace(/\n$/, '');
  if (stdoutIsTaken) output.note(line);
  else if (format === 'stylish' || format === 'compact') output.print(line);
  else output.document(text, { json: JSON_FORMATS.has(format) });
}

/** What goes wrong here says nothing about the protocols, so that it is told and no more. */
function appendSummary(file: string, options: ReporterOptions, output: Output): void {
  try {
    appendFileSync(file, githubSummary(options));
  } catch (error) {
    const name = escapeForTerminal(file);
    const reason = escapeForTerminal((error as Error).message);
    output.note(`The step summary (GITHUB_STEP_SUMMARY) ${name} cannot be written: ${reason}`);
  }
}
