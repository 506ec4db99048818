import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { programName } from '../../../base/command-line.ts';
import { KairosError, unreadableFile } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { sourceName } from '../../../host/files/read-source.ts';
import { visitProtocols } from '../../../operations/lint/visit-protocols.ts';
import { importDocuments, type MarkdownSource } from '../../../operations/moving/import-documents.ts';
import { type MoveOptions, type MoveReport, moveInto } from '../../../operations/moving/move.ts';
import { readExport } from '../../../operations/moving/read-export.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { type CliIo, EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { moveCounter } from '../../terminal/progress.ts';

type ImportCall = Call<[string], StoreImportOptions>;

/** `kairos store import`. With `--json`: `{dry_run, chains, runs}`, each with its counts by outcome. */
export const storeImportCommand: Handler<[string], StoreImportOptions> = async (call) => {
  const { args, options, io, output } = call;
  const [source] = args;
  const counter = moveCounter(call);
  const settings: MoveOptions = {
    onConflict: options.onConflict,
    dryRun: options.dryRun === true,
    onProgress: (phase, count) => counter.tick(phase, count),
  };
  try {
    const report = (await isFolder(source, io.cwd))
      ? await importFolder(call, source, settings)
      : await importFile(call, source, settings);
    counter.stop();
    printMoveReport(report, settings.dryRun, output);
    return EXIT.ok;
  } finally {
    counter.stop();
  }
};

async function importFolder(call: ImportCall, folder: string, settings: MoveOptions): Promise<MoveReport> {
  const documents: MarkdownSource[] = [];
  const { failures, notices } = await visitProtocols([folder], {}, call.io, async ({ name, read }) => {
    documents.push({ name: name ?? folder, read });
  });
  for (const notice of notices) call.output.note(escapeForTerminal(notice));
  const [failure] = failures;
  if (failure !== undefined) {
    throw new KairosError('FILE_UNREADABLE', `${failure.path}: ${failure.reason}`, {
      hint: `Nothing was written: ${failures.length} of the files cannot be used. Run ${programName()} lint to see all findings.`,
    });
  }
  if (documents.length === 0) {
    throw new KairosError('USAGE', `${folder} contains no protocol`, {
      hint: 'Markdown without a step block, triggers or a completion rule is prose.',
    });
  }
  return withContext(call, { dryRun: settings.dryRun }, (ctx) => importDocuments(ctx, documents, settings));
}

function importFile(call: ImportCall, file: string, settings: MoveOptions): Promise<MoveReport> {
  if (call.options.space !== undefined) {
    throw new KairosError('USAGE', 'an exported store already names the space of each protocol', {
      hint: 'Omit --space, or export with --space to move only one.',
    });
  }
  return withRereadable(file, call.io, (read) =>
    withContext(call, { dryRun: settings.dryRun }, ({ store }) =>
      moveInto(store, () => readExport(read(), sourceName(file)), settings),
    ),
  );
}

export interface StoreImportOptions {
  onConflict: 'fail' | 'skip' | 'replace';
  dryRun?: boolean;
}

/**
 * Hands on a way to read a file from its start, as often as needed; `-` is standard input. What can be read only once
 * is kept in a temporary file of the user's own meanwhile. Throws FILE_UNREADABLE.
 */
async function withRereadable<T>(
  path: string,
  { stdin, cwd, env }: Pick<CliIo, 'stdin' | 'cwd' | 'env'>,
  work: (read: () => AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  if (path === '-') return withCopy(stdin, env, (copy) => withRereadable(copy, { stdin, cwd, env }, work));
  const handle = await openFile(resolve(cwd, path), path);
  try {
    if ((await handle.stat()).isFile()) return await work(() => fromStart(handle));
    return await withCopy(handle.createReadStream({ autoClose: false }), env, (copy) =>
      withRereadable(copy, { stdin, cwd, env }, work),
    );
  } finally {
    await handle.close();
  }
}

/** Whether a path names a folder. Throws FILE_UNREADABLE when it names nothing. */
async function isFolder(path: string, cwd: string): Promise<boolean> {
  if (path === '-') return false;
  const stats = await stat(resolve(cwd, path)).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  return stats.isDirectory();
}

function fromStart(handle: FileHandle): Readable {
  return handle.createReadStream({ autoClose: false, start: 0 });
}

async function openFile(file: string, name: string): Promise<FileHandle> {
  return open(file, 'r').catch((error: unknown) => {
    throw unreadableFile(name, error);
  });
}

async function withCopy<T>(
  stream: Readable,
  env: NodeJS.ProcessEnv,
  work: (copy: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(env.TMPDIR || tmpdir(), 'kairos-'));
  try {
    const copy = join(folder, 'copy');
    await pipeline(stream, createWriteStream(copy, { mode: 0o600 })).catch((error: unknown) => {
      throw unreadableFile(sourceName('-'), error);
    });
    return await work(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Prints the result of a move: `Protocols: 3 stored, 1 unchanged`. With `--json`: `{dry_run, chains, runs}`.
 */
export function printMoveReport({ chains, runs }: MoveReport, dryRun: boolean, output: Output): void {
  if (output.json) {
    output.object({ dry_run: dryRun, chains, runs });
    return;
  }
  output.print(`Protocols: ${counts(chains)}\nRuns: ${counts(runs)}`);
  if (dryRun) output.note('Nothing was written: this was a dry run.');
}

function counts(outcomes: Record<string, number>): string {
  const told = Object.entries(outcomes).filter(([, count]) => count > 0);
  return told.length === 0 ? 'none' : told.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}
