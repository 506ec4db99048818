import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import promises, { type FileHandle, lstat, realpath } from 'node:fs/promises';
import type { OutputFault } from '../../proof/output-reader.ts';

/** Bytes of a file that are read in one step. */
const CHUNK = 256 * 1024;

/** A file's size and digest, and its content if requested. */
export interface Content {
  size: number;
  sha256: string;
  bytes: Buffer | null;
}

export interface ReadLimits {
  /** Bytes that a file may have at most. */
  bytes: number;
  /** Keep the content of a file up to this many bytes. */
  keep: number;
}

/**
 * Reads one regular file at exactly this path: absolute, without any link in it. The open file is checked
 * again before and after reading, so that no replacement is read for it. Opening neither follows a link nor
 * waits for a pipe. Never throws.
 */
export async function readFileAt(
  path: string,
  limits: ReadLimits,
  system: Pick<typeof promises, 'open' | 'readlink'> = promises,
): Promise<Content | OutputFault> {
  try {
    const seen = await lstat(path);
    if (seen.isSymbolicLink()) return 'link';
    // A device is not even opened: that alone may do something.
    if (!seen.isFile()) return 'not-a-file';
    const handle = await system.open(path, OPEN_FLAGS);
    try {
      return await readHandle(handle, path, limits, system);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') return 'link';
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'changed' : 'unreadable';
  }
}

// Windows has neither; it has no pipes in folders, and the place of what was opened is checked there too.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function readHandle(
  handle: FileHandle,
  path: string,
  { bytes: limit, keep }: ReadLimits,
  system: Pick<typeof promises, 'readlink'>,
): Promise<Content | OutputFault> {
  const before = await handle.stat({ bigint: true });
  if (!before.isFile()) return 'not-a-file';
  if (before.size > BigInt(limit)) return 'too-large';
  if (!(await isAt(handle, path, system))) return 'link';
  const size = Number(before.size);
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let count = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(CHUNK, size + 1)), 0);
    if (bytesRead === 0) break;
    count += bytesRead;
    if (count > size) return 'changed';
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    if (size <= keep) chunks.push(chunk);
  }
  const after = await handle.stat({ bigint: true });
  const same = (['ino', 'dev', 'size', 'mtimeNs', 'ctimeNs'] as const).every(
    (key) => before[key] === after[key],
  );
  if (!same || count !== size || !(await isAt(handle, path, system))) return 'changed';
  return { size, sha256: hash.digest('hex'), bytes: size <= keep ? Buffer.concat(chunks) : null };
}

/**
 * Whether the open file is the one at this path, and no folder of the path is a link. Linux reports the path
 * of an open file; elsewhere the path is resolved and the file there compared.
 */
async function isAt(
  handle: FileHandle,
  path: string,
  system: Pick<typeof promises, 'readlink'>,
): Promise<boolean> {
  const place = await system.readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  if (place !== null) return place === path;
  const [mine, there] = [await handle.stat({ bigint: true }), await lstat(path, { bigint: true })];
  return (await realpath(path)) === path && mine.ino === there.ino && mine.dev === there.dev;
}
