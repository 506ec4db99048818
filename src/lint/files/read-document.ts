import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readFileSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { KairosError } from '../../base/errors.ts';

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
    throw error instanceof KairosError ? error : unreadableDocument(name, error as NodeJS.ErrnoException);
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
      {
        hint: 'Or name a markdown file.',
      },
    );
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by you',
  EPERM: 'may not be read by you',
  EISDIR: 'is a directory',
  ELOOP: 'is a circle of links',
  ENAMETOOLONG: 'is too long for the name of a file',
};

/** The error for a file or folder that cannot be read. */
export function unreadableDocument(name: string, error: NodeJS.ErrnoException): KairosError {
  const reason = REASONS[error.code ?? ''] ?? `cannot be read: ${error.message}`;
  return new KairosError('FILE_UNREADABLE', `${name} ${reason}`, {
    hint: 'Check the path and its permissions.',
    cause: error,
  });
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
