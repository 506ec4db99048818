import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CliIo } from './io.ts';
import { sourceName, unreadable } from './read-source.ts';

/**
 * Hands on a way to read a file from its start, as often as needed; `-` is standard input. What can be read only once
 * is kept in a temporary file of the user's own meanwhile. Throws FILE_UNREADABLE.
 */
export async function withRereadable<T>(
  path: string,
  { stdin, cwd, env }: Pick<CliIo, 'stdin' | 'cwd' | 'env'>,
  work: (read: () => AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  if (path === '-') return withCopy(stdin, env, (copy) => withRereadable(copy, { stdin, cwd, env }, work));
  const handle = await openFile(resolve(cwd, path), path);
  try {
    if ((await handle.stat()).isFile()) return await work(() => fromStart(handle));
    return await withCopy(handle.createReadStream({ autoClose: false }), env, (copy) =>
      withRereadable(copy, { stdin, cwd, env }, work),
    );
  } finally {
    await handle.close();
  }
}

/** Whether a path names a folder. Throws FILE_UNREADABLE when it names nothing. */
export async function isFolder(path: string, cwd: string): Promise<boolean> {
  if (path === '-') return false;
  const stats = await stat(resolve(cwd, path)).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return stats.isDirectory();
}

function fromStart(handle: FileHandle): Readable {
  return handle.createReadStream({ autoClose: false, start: 0 });
}

async function openFile(file: string, name: string): Promise<FileHandle> {
  return open(file, 'r').catch((error: unknown) => {
    throw unreadable(name, error);
  });
}

async function withCopy<T>(
  stream: Readable,
  env: NodeJS.ProcessEnv,
  work: (copy: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(env.TMPDIR || tmpdir(), 'kairos-'));
  try {
    const copy = join(folder, 'copy');
    await pipeline(stream, createWriteStream(copy, { mode: 0o600 })).catch((error: unknown) => {
      throw unreadable(sourceName('-'), error);
    });
    return await work(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
