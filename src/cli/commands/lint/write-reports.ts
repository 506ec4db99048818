import { appendFileSync, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { VERSION } from '../../../base/package-root.ts';
import { realPathOf } from '../../../host/files/paths.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import {
  type Counts,
  countFindings,
  type LintReport,
  PLAIN,
  type ReporterOptions,
} from '../../../lint/report.ts';
import { REPORTERS } from '../../../lint/reporters/index.ts';
import { githubSummary, SUMMARY_BYTES } from '../../../lint/reporters/xml.ts';
import type { CliIo } from '../../io.ts';
import type { Output } from '../../output.ts';
import type { Destination } from './settings.ts';

/** Formats whose text is JSON: its escapes are JSON's. */
const JSON_FORMATS = new Set(['json', 'jsonl', 'sarif', 'gitlab']);
/** Formats whose readers count paths from the root of the repository. */
const ROOT_FORMATS = new Set(['github', 'gitlab', 'sarif', 'checkstyle', 'junit']);

interface ReportsOptions {
  rules: ReporterOptions['rules'];
  destinations: readonly Destination[];
  /** Of all findings, those that are not shown as well. */
  total: Counts;
  withSuppressed: boolean;
  /** Standard output belongs to a document: what would go there goes to standard error. */
  stdoutIsTaken: boolean;
  io: CliIo;
  output: Output;
}

/** Writes the report in every format that was asked for. Throws FILE_UNWRITABLE. */
export async function writeReports(report: LintReport, options: ReportsOptions): Promise<void> {
  const { rules, destinations, total, stdoutIsTaken, withSuppressed, io, output } = options;
  const needsRoot = destinations.some(({ format }) => ROOT_FORMATS.has(format));
  const rooted = needsRoot ? fromRoot(report, io) : report;
  const common = { report, counts: countFindings(report), rules, version: VERSION, withSuppressed };
  for (const { format, file } of destinations) {
    const colors = stdoutIsTaken ? output.noteColor : output.color;
    const counts = format === 'json' ? total : common.counts;
    const text = REPORTERS[format]({
      ...common,
      report: ROOT_FORMATS.has(format) ? rooted : report,
      counts,
      paint: file === null ? colors : PLAIN,
    });
    if (file !== null) await writeFileAtomically(resolve(io.cwd, file), text, true);
    else if (text !== '') show(text, format, options);
  }
  const summary = io.env.GITHUB_STEP_SUMMARY;
  if (summary && destinations.some(({ format }) => format === 'github')) {
    appendSummary(summary, { ...common, report: rooted, counts: total, paint: PLAIN }, output);
  }
}

function show(text: string, format: string, { stdoutIsTaken, output }: ReportsOptions): void {
  const line = text.replace(/\n$/, '');
  if (stdoutIsTaken) output.note(line);
  else if (format === 'stylish' || format === 'compact') output.print(line);
  else output.document(text, { json: JSON_FORMATS.has(format) });
}

/** Adds to the job's page what still fits. A failure is not about the protocols, so it is only a note. */
function appendSummary(file: string, options: ReporterOptions, output: Output): void {
  try {
    const written = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    appendFileSync(file, githubSummary(options, SUMMARY_BYTES - written));
  } catch (error) {
    const name = escapeForTerminal(file);
    const reason = escapeForTerminal((error as Error).message);
    output.note(`Can't write the step summary (GITHUB_STEP_SUMMARY) ${name}: ${reason}`);
  }
}

/** The report with paths from the root of the repository. Paths outside of it become absolute. */
function fromRoot(report: LintReport, { cwd, env }: CliIo): LintReport {
  const here = realPathOf(cwd);
  const root = repositoryRoot(here, env);
  const place = (path: string) => {
    const file = resolve(here, path);
    const inside = relative(root, file);
    return isOutside(inside) ? file : inside;
  };
  return {
    ...report,
    results: report.results.map((result) =>
      result.path === undefined ? result : { ...result, path: place(result.path) },
    ),
    failures: report.failures.map((failure) =>
      failure.path === '<stdin>' ? failure : { ...failure, path: place(failure.path) },
    ),
  };
}

/** The checkout that CI names, else the folder upwards that contains `.git`, else the folder itself. */
function repositoryRoot(cwd: string, env: CliIo['env']): string {
  for (const named of [env.GITHUB_WORKSPACE, env.CI_PROJECT_DIR]) {
    if (!named || !isAbsolute(named)) continue;
    const root = realPathOf(named);
    if (!isOutside(relative(root, cwd))) return root;
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** What a call reads, by the name that messages have for it. */
export interface LintInputFile {
  name: string;
  /** Absolute. */
  file: string;
}

/** Rejects reports that would replace an input of the call, or one another, links included. Throws USAGE. */
export function checkReportFiles(
  destinations: readonly Destination[],
  read: readonly LintInputFile[],
  cwd: string,
): void {
  const files = destinations.flatMap(({ format, file }) => (file === null ? [] : [{ format, file }]));
  const taken = new Map(read.map(({ name, file }) => [identity(file), name]));
  const written = new Set<string>();
  for (const { format, file } of files) {
    const key = identity(resolve(cwd, file));
    const name = taken.get(key);
    if (name !== undefined) throw refusal(`${format}:${file}`, `the report would replace ${name}`);
    if (written.has(key)) throw refusal(`${format}:${file}`, 'another report goes into that file');
    written.add(key);
  }
}

function refusal(value: string, what: string): KairosError {
  return new KairosError('USAGE', `--format ${value}: ${what}`, { hint: 'Name another file.' });
}

/** The same for every way to a file, links included; a file that doesn't exist yet is identified by its folder. */
function identity(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  return join(realFolder(dirname(path)), basename(path));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
