import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
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
