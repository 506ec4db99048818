import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';

/**
 * Puts a new text in the place of the one that was read: whole or not at all, with the file's permissions, through
 * links. Throws FILE_UNWRITABLE when the file no longer says what was read, or cannot be written.
 */
export function replaceDocument(file: string, name: string, before: string, after: string): void {
  let draft: string | undefined;
  try {
    const real = realpathSync(file);
    draft = join(dirname(real), `.${basename(real)}.${randomBytes(6).toString('hex')}.tmp`);
    const { mode } = statSync(real);
    // Putting another file in its place would take no permission on the file itself, which says: leave me alone.
    accessSync(real, constants.W_OK);
    if ((mode & ANYBODY_WRITES) === 0) throw readOnly(name);
    writeDraft(draft, after, mode & 0o7777);
    if (readFileSync(real, 'utf8') !== before) throw changed(name);
    renameSync(draft, real);
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { force: true });
    throw error instanceof KairosError ? error : unwritable(name, error as Error);
  }
}

const ANYBODY_WRITES = 0o222;

function writeDraft(path: string, text: string, mode: number): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(path, mode);
}

function readOnly(name: string): KairosError {
  return new KairosError('FILE_UNWRITABLE', `${name} cannot be written: it is read-only`, {
    hint: 'Make it writable (chmod u+w), or leave it out.',
  });
}

function changed(name: string): KairosError {
  return new KairosError(
    'FILE_UNWRITABLE',
    `${name} was changed by somebody else in the meantime; it was left alone`,
    {
      hint: 'Run it again.',
    },
  );
}

function unwritable(name: string, cause: Error): KairosError {
  return new KairosError('FILE_UNWRITABLE', `${name} cannot be written: ${cause.message}`, {
    hint: 'Check its permissions and the space on the disk.',
    cause,
  });
}
