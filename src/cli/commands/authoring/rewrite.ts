import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { plural } from '../../../lint/report.ts';
import type { FixedText } from '../../../lint/run.ts';
import { writeChanges } from '../../../operations/lint/documents.ts';
import { documentName, type Visited } from '../../../operations/lint/visit-protocols.ts';
import {
  formatProtocols,
  migrateFiles,
  migrateStored,
  type PlacedDecision,
} from '../../../operations/migrate.ts';
import type { Call, CommonOptions, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { showChanges } from '../../views/diff.ts';

export interface FmtOptions {
  check?: boolean;
  diff?: boolean;
  stdinFilename?: string;
}

export interface MigrateOptions {
  write?: boolean;
  diff?: boolean;
  stored?: boolean;
  allowWeaken?: boolean;
  stdinFilename?: string;
}

type MigrateCall = Call<[string[]], MigrateOptions>;

/** What a migration did or would do, of files or of the store. */
interface MigrateOutcome {
  /** Names of what differs from its migrated form. */
  changed: string[];
  written: string[];
  decisions: PlacedDecision[];
  visited: Visited;
}

/**
 * `kairos migrate`. The diff goes to standard output; what needs a human decision goes to standard error.
 * With `--json`: `{changed[], written[], decisions[], failures[]}`.
 */
export const migrateCommand: Handler<[string[]], MigrateOptions> = async (call) => {
  const { options, output } = call;
  checkMigrate(call.args[0], options);
  const outcome = options.stored ? await inStore(call) : await inFiles(call);
  if (output.json) output.object(outcomeObject(outcome));
  else tell(outcome, options.write === true, output);
  reportVisited(outcome.visited, output);
  if (outcome.visited.failures.length > 0) return EXIT.usage;
  const isLeft = outcome.decisions.length > 0 || (outcome.changed.length > 0 && !options.write);
  return isLeft ? EXIT.failed : EXIT.ok;
};

async function inFiles({ args: [paths], options, io, output }: MigrateCall): Promise<MigrateOutcome> {
  const { write = false, diff = false, stdinFilename } = options;
  const { changes, decisions, visited } = await migrateFiles(paths, { stdinFilename }, io);
  const written = carryOut(changes, visited, { write, diff: diff || !write }, output);
  return { changed: changes.map(({ document }) => documentName(document)), written, decisions, visited };
}

function inStore(call: MigrateCall): Promise<MigrateOutcome> {
  const { options, output } = call;
  const { write = false, diff = false, allowWeaken = false } = options;
  return withContext(call, {}, async (ctx) => {
    const { changes, ...rest } = await migrateStored(ctx, { write, allowWeaken });
    if (!output.json && (diff || !write)) showChanges(changes, output);
    return { changed: changes.map(({ document }) => document.name), ...rest };
  });
}

function outcomeObject({ changed, written, decisions, visited }: MigrateOutcome) {
  return {
    changed,
    written,
    decisions: decisions.map(({ path, decision: { code, place, reason, hint } }) => ({
      path,
      line: place.start.line,
      column: place.start.column,
      code,
      reason,
      hint,
    })),
    failures: visited.failures,
  };
}

function tell(
  { changed, written, decisions, visited }: MigrateOutcome,
  isWriting: boolean,
  output: Output,
): void {
  const { noteColor } = output;
  for (const { path, decision } of decisions) {
    const { line, column } = decision.place.start;
    const where = noteColor.cyan(`${escapeForTerminal(path)}:${line}:${column}`);
    const text = escapeForTerminal(`${decision.reason} ${decision.hint}`.trim());
    output.note(`${where}  ${text} ${noteColor.dim(`(${decision.code})`)}`);
  }
  for (const name of written) output.note(`rewrote ${escapeForTerminal(name)}`);
  if (decisions.length > 0) output.note(`${plural(decisions.length, 'place')} for a human to decide.`);
  if (changed.length > 0 && !isWriting && visited.stdin === null) {
    output.note(`Nothing was written; ${noteColor.bold(`${programName()} migrate --write`)} does it.`);
  }
}

interface RewriteOptions {
  write: boolean;
  diff: boolean;
}

/** Shows, writes, or prints (for standard input) what would be changed. Returns the names of the files that were written. */
function carryOut(
  changes: readonly FixedText[],
  visited: Visited,
  { write, diff }: RewriteOptions,
  output: Output,
): string[] {
  if (diff && !output.json) showChanges(changes, output);
  if (!write) return [];
  if (visited.stdin !== null) {
    output.document(changes[0]?.after ?? visited.stdin);
    return [];
  }
  const { mended, failures } = writeChanges(changes);
  visited.failures.push(...failures);
  return mended;
}

/** Reports on standard error what could not be done, and how much was looked at. */
function reportVisited({ failures, count, prose, ignored, notices }: Visited, output: Output): void {
  if (output.json) return;
  for (const { path, reason } of failures) {
    output.note(
      `${output.noteColor.red('error:')} ${escapeForTerminal(path)}: ${escapeForTerminal(reason, { keepNewlines: true })}`,
    );
  }
  for (const notice of notices) output.note(output.noteColor.dim(escapeForTerminal(notice)));
  const parts = [`${plural(count, 'protocol')} looked at`];
  if (prose > 0) parts.push(`${plural(prose, 'file')} of prose skipped`);
  if (ignored > 0) parts.push(`${ignored} ignored`);
  output.note(output.noteColor.dim(`${parts.join(', ')}.`));
}

/** One line for each document. */
function reportNames(names: readonly string[], verb: string, output: Output): void {
  for (const name of names) output.print(`${verb} ${escapeForTerminal(name)}`);
}

/**
 * `kairos fmt`. Writes files in place; with `--check` or `--diff` nothing. Reports a document with errors and
 * leaves it unchanged. With `--json`: `{changed[], failures[], protocols, prose, ignored}`.
 */
export const fmtCommand: Handler<[string[]], FmtOptions> = async ({ args: [paths], options, io, output }) => {
  checkFmt(paths, options);
  const { check = false, diff = false, stdinFilename } = options;
  const { changes, visited } = await formatProtocols(paths, { stdinFilename }, io);
  const write = !check && !diff;
  const written = carryOut(changes, visited, { write, diff }, output);
  const changed = changes.map(({ document }) => documentName(document));
  if (output.json) {
    const { failures, count, prose, ignored } = visited;
    output.object({ changed, failures, protocols: count, prose, ignored });
  } else if (check && !diff) reportNames(changed, 'would format', output);
  else reportNames(written, 'formatted', output);
  reportVisited(visited, output);
  if (visited.failures.length > 0) return EXIT.usage;
  return check && changes.length > 0 ? EXIT.failed : EXIT.ok;
};

/** Rejects options of `kairos fmt` that exclude each other. Throws USAGE. */
function checkFmt(paths: readonly string[], { check, diff, json }: FmtOptions & CommonOptions): void {
  if (diff && json) throw refusal('--diff and --json exclude each other', 'Keep one of them.');
  if (paths.includes('-') && json && !check) {
    throw refusal('with --json the text of - would be printed nowhere', 'Add --check, or leave out --json.');
  }
}

/** The same for `kairos migrate`, which works on files or on the store. */
function checkMigrate(paths: readonly string[], options: MigrateOptions & CommonOptions): void {
  const { stored, write, diff, json } = options;
  if (stored) {
    if (paths.length > 0) throw refusal('--stored does not accept paths', 'Choose a space with --space.');
    if (options.stdinFilename !== undefined) {
      throw refusal('--stored and --stdin-filename exclude each other', 'Keep one of them.');
    }
  } else {
    if (options.allowWeaken) throw refusal('--allow-weaken needs --stored', 'Add it, or leave both out.');
    if (options.space !== undefined) throw refusal('--space needs --stored', 'Files lie in no space.');
    if (options.store !== undefined) throw refusal('--store needs --stored', 'Files lie in no store.');
  }
  if (diff && json) throw refusal('--diff and --json exclude each other', 'Keep one of them.');
  if (paths.includes('-') && write) {
    if (diff) throw refusal('--diff has no place where --write prints the text of -', 'Keep one of them.');
    if (json)
      throw refusal('with --json the text of - would be printed nowhere', 'Leave out --write or --json.');
  }
}

function refusal(message: string, hint: string): KairosError {
  return new KairosError('USAGE', message, { hint });
}
