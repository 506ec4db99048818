import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { access, link, lstat, mkdir, open, readFile, realpath, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { strictUtf8 } from '../../base/escape.ts';
import type { PermitMarks } from '../../run/ports.ts';
import { viaDraft } from './write-file.ts';

/** Why kairos can't rely on a private file or folder. The caller puts this reason into its message. */
class NotPrivate extends Error {
  override readonly name = 'NotPrivate';
}

/** What a file may let group and others do: read at most, or nothing. */
export type Openness = 'readable' | 'closed';

const MAX_BYTES = 1 << 20;
const PRIVATE = { mode: 0o600 };

/** Creates a folder (0700), or checks that the existing one belongs to the user, isn't a link, and isn't writable by others. */
export async function ensurePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw new NotPrivate('it is not a folder, or a link to one');
  check(stats, 'readable');
}

/**
 * The text of the user's own file; null for a missing one. Throws NotPrivate for a link or loose permissions.
 * `links: 'own'` follows a link of the user to a file in a folder that others can't write to. Reads synchronously: for
 * small files that is faster than to start threads.
 */
export async function readPrivateFile(
  path: string,
  openness: Openness,
  links: 'refused' | 'own' = 'refused',
): Promise<string | null> {
  const file = openNoFollow(links === 'own' ? ownTarget(path) : path);
  if (file === null) return null;
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new NotPrivate('it is not a regular file');
    if (stats.size > MAX_BYTES) throw new NotPrivate('it is larger than 1 MiB');
    check(stats, openness);
    return decode(readFileSync(file));
  } finally {
    closeSync(file);
  }
}

/** Where the user's own link leads; the path itself for anything else. */
function ownTarget(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true) return path;
  if (stats.uid !== process.getuid?.()) throw new NotPrivate('it is a symbolic link of another user');
  const target = linkTarget(path);
  const folder = lstatSync(dirname(target));
  // In a sticky folder, others can't replace the file.
  if ((folder.mode & 0o022) !== 0 && (folder.mode & 0o1000) === 0)
    throw new NotPrivate('it is a symbolic link into a folder that others can write to');
  return target;
}

function linkTarget(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw new NotPrivate('it is a broken symbolic link');
  }
}

/** Bytes that aren't UTF-8 are refused: a repaired text could mean something else. */
function decode(bytes: Buffer): string {
  const text = strictUtf8(bytes);
  if (text === null) throw new NotPrivate('it is not UTF-8 text');
  return text;
}

/** Replaces a file (mode 0600) atomically. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await viaDraft(path, text, PRIVATE, (draft) => rename(draft, path));
  await syncFolder(dirname(path));
}

/** Writes a complete file (0600); false if it already exists. Of several concurrent writers one wins. */
export async function createFile(path: string, text: string): Promise<boolean> {
  try {
    await viaDraft(path, text, PRIVATE, (draft) => link(draft, path));
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  await syncFolder(dirname(path));
  return true;
}

/** A key of 32 bytes in a file of the user's own, in hex; created when missing. Concurrent processes get the same. Throws KEY_UNUSABLE. */
export async function loadRandomKey(path: string, what: string): Promise<Uint8Array> {
  try {
    await ensurePrivateFolder(dirname(path));
    let text = await readPrivateFile(path, 'closed');
    if (text === null) {
      await createFile(path, `${randomBytes(32).toString('hex')}\n`);
      // Another process may have been faster: its key counts.
      text = await readPrivateFile(path, 'closed');
    }
    if (!/^[0-9a-f]{64}\n$/.test(text ?? '')) throw new Error('it contains no key');
    return Buffer.from(text!.trim(), 'hex');
  } catch (cause) {
    throw new KairosError('KEY_UNUSABLE', `${what} ${path} cannot be used: ${(cause as Error).message}`, {
      hint: 'Restrict it to yourself (chmod 600), or remove it to have a new one made.',
      cause,
    });
  }
}

/** How far an instant must be from the last one that was kept to be worth a write. */
const REMEMBERED_MS = 500;

/** Marks of used permits, an empty file in each folder; next to them the newest instant that the gate has seen. */
export function permitMarks(folders: readonly string[]): PermitMarks {
  return {
    async prepare() {
      for (const folder of folders) {
        try {
          await ensurePrivateFolder(folder);
          await access(folder, constants.W_OK);
        } catch (cause) {
          const reason = cause instanceof Error ? cause.message : String(cause);
          throw new KairosError(
            'FILE_UNWRITABLE',
            `cannot mark in ${folder} that a permit is used: ${reason}`,
            {
              hint: 'The permit is unused. Make this a folder of yours that only you can write to, then try again.',
              cause,
            },
          );
        }
      }
    },
    async use(key) {
      let isFirst = true;
      for (const folder of folders) isFirst = (await createFile(join(folder, key), '')) && isFirst;
      return isFirst;
    },
    async seen(now) {
      const files = folders.map((folder) => join(folder, 'newest-instant'));
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
      const known = Math.max(0, ...texts.map((text) => Number(text) || 0));
      // A folder that can't be written to stops the permit later, with the reason.
      if (now >= known + REMEMBERED_MS)
        for (const [at, folder] of folders.entries())
          await ensurePrivateFolder(folder)
            .then(() => replaceFile(files[at]!, String(now)))
            .catch(() => {});
      return known;
    },
  };
}

/** True when a system call failed in this way, for example `ENOENT`. */
export function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === code;
}

function openNoFollow(path: string): number | null {
  try {
    // Non-blocking, because a FIFO instead of the file must not block kairos.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    if (isCode(error, 'ELOOP') || isCode(error, 'EMLINK')) throw new NotPrivate('it is a symbolic link');
    throw error;
  }
}

function check(stats: Stats, openness: Openness): void {
  const user = process.getuid?.();
  if (user === undefined) return; // Windows: mode bits don't describe access
  if (stats.uid !== user) throw new NotPrivate('it belongs to another user');
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  if (openness === 'closed' && (stats.mode & 0o077) !== 0)
    throw new NotPrivate(`others have access to it (mode ${mode})`);
  if ((stats.mode & 0o022) !== 0) throw new NotPrivate(`others can write to it (mode ${mode})`);
}

/** A rename or link is durable once its folder is. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether anything is at a path, links included. Throws if that can't be seen. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return false;
    throw error;
  }
}

/** The nearest folder at or above this one that is under version control. */
export async function projectTree(from: string): Promise<string | null> {
  for (let folder = await realpath(from).catch(() => resolve(from)); ; folder = dirname(folder)) {
    for (const name of ['.git', '.hg', '.jj', '.svn']) {
      if (await exists(join(folder, name))) return folder;
    }
    if (folder === dirname(folder)) return null;
  }
}
