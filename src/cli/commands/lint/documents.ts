import { dirname, resolve } from 'node:path';
import { discover } from '../../../lint/files/discover.ts';
import { ignoreRules } from '../../../lint/files/ignore-rules.ts';
import { readDocument, unreadable } from '../../../lint/files/read-document.ts';
import type { Failure } from '../../../lint/report.ts';
import type { InputDocument } from '../../../lint/run.ts';
import type { CliIo } from '../../io.ts';
import { readSource } from '../../read-source.ts';

/** What a call is to look at. */
export interface Input {
  documents: InputDocument[];
  ignored: number;
  failures: Failure[];
  /** What can't be a document, one notice each. */
  notices: string[];
  /** Folders in which something may change. */
  folders: string[];
  /** The text of standard input, when that is what is linted. */
  stdin: string | null;
}

/** Finds the documents of the arguments; standard input is read at once. Throws USAGE, FILE_UNREADABLE. */
export async function findInput(
  paths: readonly string[],
  stdinFilename: string | undefined,
  io: CliIo,
): Promise<Input> {
  if (paths.includes('-')) return readStdin(stdinFilename, io);
  const { targets, ignored, failures, skipped, folders } = await discover(
    paths.length === 0 ? ['.'] : paths,
    io.cwd,
  );
  return {
    documents: targets.map(({ name, file, isNamed }) => ({
      name,
      file,
      isNamed,
      read: () => readDocument(file, name, !isNamed),
    })),
    ignored,
    failures: failures.map(({ name, cause }) => ({
      path: name,
      reason: unreadable(name, cause as NodeJS.ErrnoException).message,
    })),
    notices: skipped.map(({ name, what }) => `Skipped ${name}: it is ${what}.`),
    folders: [...new Set([...folders, ...targets.map(({ file }) => dirname(file))])],
    stdin: null,
  };
}

/** A name that is ignored makes the text ignored, as the file itself would be. */
async function readStdin(name: string | undefined, io: CliIo): Promise<Input> {
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
