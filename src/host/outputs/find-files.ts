import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { OutputFault } from '../../proof/outputs.ts';

/** Files that one path may name, and names that are looked at for it. */
const MAX_FOUND = 256;
const MAX_VISITED = 50_000;

interface Found {
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

/** Null: the path doesn't exist. */
async function lookAt(path: string): Promise<Entry | null> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
    throw new Fault('unreadable');
  });
}

/** Alternatives that the braces of one path may make. */
const MAX_ALTERNATIVES = 64;

/**
 * The paths that an output's path matches, each as segments; null for an invalid one: empty, with NUL or
 * `..`, or with more than 64 alternatives, or absolute only within its braces. `*` and `?` match within a
 * segment, `**` any number of folders, `{a,b}` either.
 */
export function parsePath(path: string): string[][] | null {
  const alternatives = alternativesOf(path);
  if (path.includes('\0') || alternatives === null) return null;
  if (alternatives.some((one) => isAbsolute(one) !== isAbsolute(path))) return null;
  const parsed = alternatives.map((one) => one.split('/').filter((part) => part !== '' && part !== '.'));
  const sound = parsed.every((parts) => parts.length > 0 && !parts.some(goesUp));
  return sound ? parsed : null;
}

/** Whether a segment matches more than itself. */
export function isWild(segment: string): boolean {
  return /[*?]/.test(segment);
}

/**
 * Whether a name matches a segment. As in a shell, only a dot matches a leading dot. Linear in name times
 * segment: on a mismatch, only the last star is extended by one character.
 */
export function matchesSegment(segment: string, name: string): boolean {
  if (name.startsWith('.') && !segment.startsWith('.')) return false;
  const pattern = Array.from(segment);
  const text = Array.from(name);
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let char = 0; char < text.length; ) {
    if (pattern[at] === '*') {
      star = at;
      resume = char;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[char])) {
      at += 1;
      char += 1;
    } else if (star === -1) {
      return false;
    } else {
      at = star + 1;
      resume += 1;
      char = resume;
    }
  }
  return pattern.slice(at).every((left) => left === '*');
}

/** The outermost braces with a comma in them, expanded until none is left. */
function alternativesOf(path: string): string[] | null {
  const done: string[] = [];
  const open = [path];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const braces = findBraces(next);
    if (braces === null) done.push(next);
    else open.unshift(...braces.parts.map((part) => `${braces.before}${part}${braces.after}`));
    if (done.length + open.length > MAX_ALTERNATIVES) return null;
  }
  return [...new Set(done)];
}

function findBraces(path: string): { before: string; parts: string[]; after: string } | null {
  for (let start = path.indexOf('{'); start !== -1; start = path.indexOf('{', start + 1)) {
    const commas: number[] = [];
    let depth = 0;
    for (let at = start; at < path.length; at += 1) {
      if (path[at] === '{') depth += 1;
      else if (path[at] === ',' && depth === 1) commas.push(at);
      else if (path[at] === '}') {
        depth -= 1;
        if (depth > 0) continue;
        if (commas.length === 0) break;
        const cuts = [start, ...commas, at];
        const parts = cuts.slice(1).map((cut, index) => path.slice(cuts[index]! + 1, cut));
        return { before: path.slice(0, start), parts, after: path.slice(at + 1) };
      }
    }
  }
  return null;
}

/** On Windows a backslash parts folders too; elsewhere a name with `..` after one is refused too. */
function goesUp(segment: string): boolean {
  return segment.split('\\').includes('..');
}
