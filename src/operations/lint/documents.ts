import { dirname, resolve } from 'node:path';
import { KairosError, unreadableFile } from '../../base/errors.ts';
import { readSource, type SourceInput } from '../../host/files/read-source.ts';
import { ignoreRules } from '../../lint/files/ignore-rules.ts';
import { readDocumentFile, replaceDocument } from '../../lint/files/read-document.ts';
import { discover } from '../../lint/files/walk.ts';
import type { FileFailure } from '../../lint/report.ts';
import type { FixedText, InputDocument } from '../../lint/run.ts';

/** The documents of a call. */
export interface LintInput {
  documents: InputDocument[];
  ignored: number;
  failures: FileFailure[];
  /** What can't be a document, one notice each. */
  notices: string[];
  /** Folders in which something may change. */
  folders: string[];
  /** The text of standard input, when that is what is linted. */
  stdin: string | null;
}

/** Finds the documents of the arguments; standard input is read immediately. Throws USAGE, FILE_UNREADABLE. */
export async function findInput(
  paths: readonly string[],
  stdinFilename: string | undefined,
  io: SourceInput,
  names?: RegExp,
): Promise<LintInput> {
  if (paths.includes('-')) return readStdin(stdinFilename, io);
  const { targets, ignored, failures, skipped, folders } = await discover(
    paths.length === 0 ? ['.'] : paths,
    io.cwd,
    names,
  );
  return {
    documents: targets.map(({ name, file, isNamed }) => ({
      name,
      file,
      isNamed,
      read: () => readDocumentFile(file, name, !isNamed),
    })),
    ignored,
    failures: failures.map(({ name, cause }) => ({
      path: name,
      reason: unreadableFile(name, cause).message,
    })),
    notices: skipped.map(({ name, what }) => `Skipped ${name}: it is ${what}.`),
    folders: [...new Set([...folders, ...targets.map(({ file }) => dirname(file))])],
    stdin: null,
  };
}

/** A name that is ignored makes the text ignored, as the file itself would be. */
async function readStdin(name: string | undefined, io: SourceInput): Promise<LintInput> {
  const text = await readSource('-', io);
  const file = name === undefined ? null : resolve(io.cwd, name);
  const isIgnored = file !== null && (await ignoreRules([io.cwd]).isIgnored(file, false));
  return {
    documents: isIgnored ? [] : [{ name, file, isNamed: true, read: () => text }],
    ignored: isIgnored ? 1 : 0,
    failures: [],
    notices: [],
    folders: [],
    stdin: text,
  };
}

/** Writes fixed documents to their files. Reports one that cannot be written, and writes the others. */
export function writeChanges(changes: readonly FixedText[]): { mended: string[]; failures: FileFailure[] } {
  const mended: string[] = [];
  const failures: FileFailure[] = [];
  for (const { document, before, after } of changes) {
    const { file, name } = document;
    if (file === null || name === undefined || before === after) continue;
    try {
      replaceDocument(file, name, before, after);
      mended.push(name);
    } catch (error) {
      if (!(error instanceof KairosError)) throw error;
      failures.push({ path: name, reason: error.message });
    }
  }
  return { mended, failures };
}
