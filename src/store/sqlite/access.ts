import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { unavailable } from './errors.ts';

/**
 * Whether a store file can be written. With `create`, creates a missing file (mode 0600) and its folder
 * (0700). False for a read-only file; throws STORE_UNAVAILABLE for an unreadable one, or one that isn't a
 * file.
 */
export function isWritable(path: string, create: boolean): boolean {
  try {
    if (create && !existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      closeSync(openSync(path, 'a', 0o600));
    }
    const stat = statSync(path);
    if (stat.isDirectory()) {
      throw unavailable(path, 'is a folder', 'Name a file in it, for example kairos.db.');
    }
    if (!stat.isFile()) throw unavailable(path, 'is not a regular file', 'Choose another file with --store.');
    // SQLite creates its journal next to the file.
    accessSync(dirname(path), constants.W_OK);
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (error instanceof KairosError) throw error;
    requireReadable(path, error as NodeJS.ErrnoException);
    return false;
  }
}

function requireReadable(path: string, refusal: NodeJS.ErrnoException): void {
  if (refusal.code === 'ENOSPC' || refusal.code === 'EDQUOT') {
    throw unavailable(path, 'has no room left: the disk is full', 'Free some space and try again.', refusal);
  }
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'does not exist and cannot be made' : 'cannot be read';
    const hint = 'Give yourself permission on the file and its folder, or choose another store with --store.';
    throw unavailable(path, `${reason} (${refusal.code ?? refusal.message})`, hint, error);
  }
}
