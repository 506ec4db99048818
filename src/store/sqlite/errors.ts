import { setTimeout as delay } from 'node:timers/promises';
import { KairosError } from '../../base/errors.ts';

/** Result codes of sqlite.org/rescode.html, without their extensions. */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** Primary result code of an error thrown by a SQLite library; null for every other error. */
export function resultCode(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : null;
}

/** Whether another connection was in the way. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** Whether a file or folder could not be opened, or not for writing. */
export function isInaccessible(error: unknown): boolean {
  const code = resultCode(error);
  return code === CANTOPEN || code === READONLY;
}

/** The store error for `path`, with its remedy. KairosErrors pass through. */
export function toKairosError(error: unknown, path: string): unknown {
  if (error instanceof KairosError) return error;
  if ((error as { code?: unknown } | null)?.code === 'ERR_INVALID_STATE') {
    return sqliteUnavailable(path, 'is closed', 'Open the store again.', error);
  }
  const code = resultCode(error);
  if (code === null) return error;
  const words = WORDS[code];
  if (words !== undefined) return sqliteUnavailable(path, words[0], words[1], error);
  if (code === READONLY) return readOnlySqlite(path, error);
  const { message } = error as Error;
  return new KairosError('INTERNAL', `SQLite refused a statement on ${path}: ${message}`, {
    hint: 'This is a fault of kairos; please report it.',
    cause: error,
  });
}

/** A write to a store that can only be read. */
export function readOnlySqlite(path: string, cause?: unknown): KairosError {
  return new KairosError('READ_ONLY', `the store ${path} can be read but not written`, {
    hint: 'Give yourself write permission on the file and its folder, or choose another store with --store.',
    cause,
  });
}

/** A store that cannot be used now, for a reason and with a remedy. */
export function sqliteUnavailable(path: string, reason: string, hint: string, cause?: unknown): KairosError {
  return new KairosError('STORE_UNAVAILABLE', `the store ${path} ${reason}`, { hint, cause });
}

const LOCK_WORDS: [string, string] = [
  'is locked by another process',
  'Nothing was written. Wait until that process is done, or end it, and try again.',
];
const WORDS: Readonly<Record<number, [reason: string, hint: string]>> = {
  [BUSY]: LOCK_WORDS,
  [LOCKED]: LOCK_WORDS,
  [IOERR]: [
    'could not be read or written: the disk or network folder reported an error',
    'Check the disk; a store on a network folder is better moved to a local one.',
  ],
  [CORRUPT]: [
    'is damaged',
    'Restore it from a copy, or save what can be read with `sqlite3 FILE .recover`; kairos changed nothing in it.',
  ],
  [FULL]: ['has no room left: the disk is full', 'Nothing was written. Free some space and try again.'],
  [CANTOPEN]: [
    'cannot be opened',
    'Check that the folder exists and that you may read and write it, or choose another store with --store.',
  ],
  [NOTADB]: [
    'is not a kairos store: the file is not a SQLite database',
    'Choose another file with --store; kairos changed nothing in it.',
  ],
};

/**
 * Retries an action for `waitMs` that other connections may block (it then changes nothing). Between two
 * tries the process continues with other work: waiting in SQLite would block a whole server.
 */
export async function patiently<T>(action: () => T, waitMs: number): Promise<T> {
  let until: number | undefined;
  for (;;) {
    try {
      return action();
    } catch (error) {
      until ??= performance.now() + waitMs;
      if (!isBusy(error) || performance.now() >= until) throw error;
    }
    await delay(5 + Math.random() * 20);
  }
}
