import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { KairosError, unreadableFile } from '../../base/errors.ts';

/**
 * The text of a file, its BOM included. `isRegular`: it is known not to be a device or pipe. Throws
 * FILE_UNREADABLE with the reason.
 */
export function readDocumentFile(file: string, name: string, isRegular = false): string {
  let text: string;
  try {
    const bytes = (isRegular ? readSmall(file) : null) ?? readAny(file, name);
    text = bytes.toString('utf8');
    // The replacement character may be in the file, or replace bytes that are not UTF-8.
    if (!text.includes('\ufffd') || isUtf8(bytes)) return text;
  } catch (error) {
    throw error instanceof KairosError ? error : unreadableFile(name, error as NodeJS.ErrnoException);
  }
  throw new KairosError('FILE_UNREADABLE', `${name} is not valid UTF-8`, {
    hint: 'Save it as UTF-8 and try again.',
    data: { text },
  });
}

/** Room for nearly every document, used again for each. */
let room: Buffer | undefined;
const ROOM = 64 * 1024;

/**
 * The bytes of a small file, valid until the next call, without asking for its size. Null for a larger one.
 */
function readSmall(file: string): Buffer | null {
  room ??= Buffer.allocUnsafeSlow(ROOM);
  const handle = openSync(file, 'r');
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < ROOM; length += read) {
      read = readSync(handle, room, length, ROOM - length, null);
    }
    return length < ROOM ? room.subarray(0, length) : null;
  } finally {
    closeSync(handle);
  }
}

function readAny(file: string, name: string): Buffer {
  refuseEndless(file, name);
  return readFileSync(file);
}

/** The parser reports a document that is too large; this limit is for endless input. */
const MAX_BYTES = 64 * 1024 * 1024;

function refuseEndless(file: string, name: string): void {
  const stats = statSync(file);
  if (stats.size > MAX_BYTES) {
    throw new KairosError('FILE_UNREADABLE', `${name} has more than ${MAX_BYTES / 1024 / 1024} MiB`, {
      hint: 'Nothing of it was read. A protocol has at most 1 MiB.',
    });
  }
  const odd = oddFile(file, stats);
  if (odd !== null) {
    throw new KairosError(
      'FILE_UNREADABLE',
      `${name} is ${odd} and no file; hand its text in as standard input (-)`,
      { hint: 'Or name a markdown file.' },
    );
  }
}

/**
 * What a path is when it can't be read like a file; null for a file. A named pipe waits for a writer who may
 * never come. A pipe that the call got open (`/dev/stdin`, `<(…)` of a shell) has one, and ends. Throws what
 * `stat` throws.
 */
export function oddFile(file: string, stats: Stats = statSync(file)): string | null {
  if (stats.isFile() || stats.isDirectory()) return null;
  if (stats.isFIFO()) return HANDED_OPEN.test(realpathSync(file)) ? null : 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Where systems keep the descriptors of a process, links followed. */
const HANDED_OPEN = /^\/(?:dev|proc\/[^/]+)\/fd\//;

/**
 * Replaces the text that was read: completely or not at all, with the file's permissions, through links. A
 * file with several names stays one file, and all of them get the new text. Throws FILE_UNWRITABLE when the
 * file has changed since, or can't be written.
 */
export function replaceDocument(file: string, name: string, before: string, after: string): void {
  let draft: string | undefined;
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw noFile(name);
    const real = realpathSync(file);
    // Replacing the file would bypass its permissions, which forbid writing.
    accessSync(real, constants.W_OK);
    if ((stats.mode & ANYBODY_WRITES) === 0) throw readOnly(name);
    draft = join(dirname(real), `.${basename(real)}.${randomBytes(6).toString('hex')}.tmp`);
    writeDraft(draft, after, stats.mode & 0o7777);
    const now = readFileSync(real, 'utf8');
    if (now !== before && now !== after) throw changed(name);
    if (stats.nlink === 1) renameSync(draft, real);
    else {
      // The text may have come in by another name of the file already.
      if (now !== after) overwrite(real, name, after, draft);
      rmSync(draft, { force: true });
    }
  } catch (error) {
    if (draft !== undefined && !(error instanceof TornError)) rmSync(draft, { force: true });
    throw error instanceof KairosError ? error : unwritable(name, error as Error);
  }
}

const ANYBODY_WRITES = 0o222;

function writeDraft(path: string, text: string, mode: number): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeDurably(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(path, mode);
}

function writeDurably(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
  ftruncateSync(descriptor, bytes.length);
  fsyncSync(descriptor);
}

/**
 * A rename would leave the other names with the old text. In every case the draft has the complete new one.
 */
function overwrite(file: string, name: string, text: string, draft: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    writeDurably(descriptor, text);
  } catch (cause) {
    throw new TornError(name, draft, cause as Error);
  } finally {
    closeSync(descriptor);
  }
}

/** The one fault after which the draft has to stay. */
class TornError extends KairosError {
  constructor(name: string, draft: string, cause: Error) {
    super(
      'FILE_UNWRITABLE',
      `${name} is perhaps written in part only: ${cause.message}; its new text is in ${draft}`,
      { hint: 'Copy the new text over it.', cause },
    );
  }
}

function noFile(name: string): KairosError {
  return new KairosError(
    'FILE_UNWRITABLE',
    `${name} cannot be written: it is not a file; with - the new text goes to standard output`,
    { hint: 'Pipe the text in: - < FILE.' },
  );
}

function readOnly(name: string): KairosError {
  return new KairosError('FILE_UNWRITABLE', `${name} cannot be written: it is read-only`, {
    hint: 'Make it writable (chmod u+w), or leave it out.',
  });
}

function changed(name: string): KairosError {
  return new KairosError(
    'FILE_UNWRITABLE',
    `${name} was changed by another program meanwhile; it was left unchanged`,
    { hint: 'Run it again.' },
  );
}

function unwritable(name: string, cause: Error): KairosError {
  return new KairosError('FILE_UNWRITABLE', `${name} cannot be written: ${cause.message}`, {
    hint: 'Check its permissions and the space on the disk.',
    cause,
  });
}

interface PathTarget {
  real: string;
  isFolder: boolean;
  isFile: boolean;
  isOut: boolean;
  /** What is there, or that nothing is, if it can't be read. */
  what: string | null;
}

/** Where a path leads, links followed. What is outside of the folder `realRoot`, called `root`, isn't read. */
export function targetOf(path: string, realRoot: string, root: string): PathTarget {
  const none = { real: path, isFolder: false, isFile: false, isOut: false };
  const stats = statOrNull(path);
  if (stats === 'ELOOP') return { ...none, what: 'a circle of links' };
  if (stats === null) return { ...none, what: 'a broken link' };
  const isFolder = stats.isDirectory();
  const isFile = stats.isFile();
  if (!isFile && !isFolder) return { ...none, what: kindOf(stats) };
  const real = realpathSync(path);
  const isOut = real !== realRoot && !real.startsWith(startOf(realRoot));
  if (isOut) return { ...none, isOut, what: `a link that leads out of ${root}` };
  return { real, isFolder, isFile, isOut, what: null };
}

/** The prefix of all paths in a folder. */
export function startOf(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}

function statOrNull(path: string): Stats | null | 'ELOOP' {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return 'ELOOP';
    throw error;
  }
}

export function kindOf(entry: Dirent | Stats): string {
  if (entry.isFIFO()) return 'a named pipe';
  return entry.isSocket() ? 'a socket' : 'a device';
}
