import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import promises, { type FileHandle, lstat, realpath } from 'node:fs/promises';
import type { OutputFault } from '../../proof/output-reader.ts';

/** Bytes of a file that are read at once. */
const CHUNK = 256 * 1024;

/** A file's size and digest, and what it holds where that was asked for. */
export interface Content {
  size: number;
  sha256: string;
  bytes: Buffer | null;
}

export interface ReadLimits {
  /** Bytes that a file may have at most. */
  bytes: number;
  /** Keep what a file of up to so many bytes holds. */
  keep: number;
}

/**
 * Reads one regular file at exactly this path: absolute, without a link anywhere in it. What is opened is looked at
 * again before and after it is read, so that nothing that is put in its place meanwhile is taken for it. Opening neither
 * follows a link nor waits for a pipe. Never throws.
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
 * Whether what is open is what lies at this path, and no folder of the path is a link. Linux says where an open file
 * lies; elsewhere the path is resolved and the file there compared.
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
