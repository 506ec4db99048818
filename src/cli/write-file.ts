import { randomBytes } from 'node:crypto';
import { link, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KairosError } from '../base/errors.ts';

/**
 * Writes a file whole or not at all: into a file beside it, made durable, then put in its place. An existing file is
 * replaced only with `replace`. A text that comes in pieces is never whole in memory. Throws FILE_UNWRITABLE.
 */
export async function writeFileAtomically(
  path: string,
  text: string | AsyncIterable<string>,
  replace: boolean,
  mode = 0o666,
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDurably(draft, text, mode);
    await (replace ? rename(draft, path) : putNew(draft, path));
  } catch (error) {
    // Where the text comes from may fail too.
    if (error instanceof KairosError) throw error;
    throw unwritable(path, error as NodeJS.ErrnoException);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDurably(path: string, text: string | AsyncIterable<string>, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await writeFile(file, text);
    await file.sync();
  } finally {
    await file.close();
  }
}

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
