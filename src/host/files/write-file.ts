import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { link, open, readdir, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { KairosError } from '../../base/errors.ts';

/**
 * Writes a file completely or not at all: into a temporary file next to it, synced, then moved into place. An
 * existing file is replaced only with `replace`: the target of a link, and with permissions that let no
 * additional user read it. A path that isn't a file (`/dev/stdout`, a pipe, `>(…)` of a shell) is written to.
 * A text in pieces is never completely in memory. Throws FILE_UNWRITABLE.
 */
export async function writeFileAtomically(
  path: string,
  text: string | AsyncIterable<string>,
  replace: boolean,
  mode = 0o666,
): Promise<void> {
  try {
    const there = replace ? await stat(path).catch(() => null) : null;
    if (there !== null && isStream(path, there)) return await writeFile(path, text, { flag: 'a' });
    const target = replace ? await placeOf(path) : path;
    const modes = there === null ? { mode } : { mode, exactMode: there.mode & mode };
    await viaDraft(target, text, modes, (draft) => (replace ? rename(draft, target) : putNew(draft, target)));
  } catch (error) {
    // Where the text comes from may fail too.
    if (error instanceof KairosError) throw error;
    throw unwritable(path, error as NodeJS.ErrnoException);
  }
}

/**
 * Writes a text into a new file next to `target`, syncs it and lets `put` move it into place, so that `target` is never
 * half-written. Nothing is left of a draft that fails. `exactMode` ignores the umask.
 */
export async function viaDraft<T>(
  target: string,
  text: string | AsyncIterable<string>,
  { mode, exactMode }: { mode: number; exactMode?: number },
  put: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(draft, 'wx', mode);
    try {
      if (exactMode !== undefined) await file.chmod(exactMode);
      await writeFile(file, text);
      await file.sync();
    } finally {
      await file.close();
    }
    return await put(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes the drafts that a killed process left in a folder, next to files whose names match `of`. A draft of another process
 * may be among them: its file is there already, and is not replaced.
 */
export async function clearDrafts(folder: string, of: RegExp): Promise<void> {
  const names = await readdir(folder);
  const isThere = new Set(names.filter((name) => of.test(name)));
  const drafts = names.filter((name) => isThere.has(DRAFT.exec(name)?.[1] ?? ''));
  await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })));
}

const DRAFT = /^\.(.+)\.[0-9a-f]{12}\.tmp$/;

/** The target of a path through links, also through one to a file that doesn't exist yet. */
async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const next = await readlink(path).catch(() => null);
  return next === null ? path : placeOf(resolve(dirname(path), next));
}

/** A descriptor of the call may be a file that is being written: its content must stay. */
function isStream(path: string, there: Stats): boolean {
  return OWN_DESCRIPTOR.test(path) || !(there.isFile() || there.isDirectory());
}

const OWN_DESCRIPTOR = /^\/(?:dev\/(?:fd\/|stdout$|stderr$)|proc\/[^/]+\/fd\/)/;

/** A link, unlike a rename, never replaces anything. File systems without links get the next best thing. */
async function putNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || (await exists(path))) throw error;
    await rename(draft, path);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

const REASONS: Record<string, [reason: string, hint: string]> = {
  EEXIST: ['exists already', 'Choose another name, or replace it with --force.'],
  ENOENT: ['lies in a folder that does not exist', 'Make the folder first.'],
  ENOTDIR: ['lies in a folder that does not exist', 'Make the folder first.'],
  EISDIR: ['is a directory', 'Name a file in it.'],
  EACCES: ['may not be written by you', 'Choose another place.'],
  EPERM: ['may not be written by you', 'Choose another place.'],
  EROFS: ['is on a medium that cannot be written', 'Choose another place.'],
  ENOSPC: ['does not fit: the disk is full', 'Free some space and try again.'],
};

function unwritable(path: string, error: NodeJS.ErrnoException): KairosError {
  const [reason, hint] = REASONS[error.code ?? ''] ?? [
    `cannot be written: ${error.message}`,
    'Choose another place.',
  ];
  return new KairosError('FILE_UNWRITABLE', `${path} ${reason}`, { hint, cause: error });
}
