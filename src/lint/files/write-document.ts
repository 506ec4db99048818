import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
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
    writeDraft(draft, after, statSync(real).mode & 0o7777);
    if (readFileSync(real, 'utf8') !== before) throw changed(name);
    renameSync(draft, real);
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { force: true });
    throw error instanceof KairosError ? error : unwritable(name, error as Error);
  }
}

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
