import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputFault } from '../../proof/output-reader.ts';
import { isWild, matchesSegment } from './glob.ts';

/** Files that one path may name, and names that are looked at for it. */
const MAX_FOUND = 256;
const MAX_VISITED = 50_000;

export interface Found {
  /** Absolute paths of regular files, sorted. */
  files: string[];
  /** Something else exists there: a folder, a link, a device. */
  others: boolean;
  fault: OutputFault | null;
}

/**
 * The files under a path, given in segments, below an absolute folder. Links are never followed: a link that
 * the path names is a fault. A folder that only a wildcard matches is skipped.
 */
export async function findFiles(folder: string, segments: readonly string[]): Promise<Found> {
  const search = new Search();
  try {
    await search.step(folder, segments);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { files: [], others: search.others, fault: error.fault };
  }
  return { files: [...search.files].sort(), others: search.others, fault: search.fault };
}

class Fault extends Error {
  readonly fault: OutputFault;

  constructor(fault: OutputFault) {
    super(fault);
    this.fault = fault;
  }
}

type Entry = Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

class Search {
  readonly files = new Set<string>();
  others = false;
  fault: OutputFault | null = null;
  #visited = 0;

  /** Continues from a known folder. */
  async step(folder: string, [segment, ...rest]: readonly string[]): Promise<void> {
    if (segment === undefined) return;
    if (segment === '**') return this.#anyDepth(folder, rest.length === 0 ? ['*'] : rest);
    if (!isWild(segment)) {
      const path = join(folder, segment);
      const entry = await lookAt(path);
      if (entry !== null) await this.#take(path, entry, rest, false);
      return;
    }
    for (const entry of await this.#list(folder)) {
      if (matchesSegment(segment, entry.name)) await this.#take(join(folder, entry.name), entry, rest, true);
    }
  }

  async #anyDepth(folder: string, rest: readonly string[]): Promise<void> {
    await this.step(folder, rest);
    for (const entry of await this.#list(folder)) {
      if (entry.isDirectory() && matchesSegment('*', entry.name))
        await this.#anyDepth(join(folder, entry.name), rest);
    }
  }

  async #take(path: string, entry: Entry, rest: readonly string[], wild: boolean): Promise<void> {
    if (entry.isSymbolicLink()) return this.#other('link');
    if (rest.length > 0) {
      if (entry.isDirectory()) await this.step(path, rest);
    } else if (entry.isFile()) {
      this.files.add(path);
      if (this.files.size > MAX_FOUND) throw new Fault('too-many');
    } else if (wild && entry.isDirectory()) {
      this.others = true;
    } else this.#other('not-a-file');
  }

  #other(fault: OutputFault): void {
    this.others = true;
    this.fault ??= fault;
  }

  async #list(folder: string): Promise<Dirent[]> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      throw new Fault(error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'changed' : 'unreadable');
    });
    this.#visited += entries.length;
    if (this.#visited > MAX_VISITED) throw new Fault('too-many');
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Null: nothing is there. */
async function lookAt(path: string): Promise<Entry | null> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
    throw new Fault('unreadable');
  });
}
