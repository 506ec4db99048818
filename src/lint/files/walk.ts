import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { IgnoreRules } from './ignore-rules.ts';

/** The entries found in a folder. Paths are absolute. */
export interface FolderSearch {
  files: FoundFile[];
  /** Folders that were entered. */
  folders: string[];
  /** Markdown files that ignore files leave out. */
  ignored: number;
  failures: { path: string; cause: unknown }[];
  /** Names of markdown that can't be documents: broken links, sockets, devices. */
  skipped: Skipped[];
}

export interface Skipped {
  path: string;
  /** For example `a broken link`. */
  what: string;
}

export interface FoundFile {
  path: string;
  /** The same with links resolved, to detect two names of one document. */
  real: string;
}

/** Folders that never contain a user's protocols. */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Every markdown file below a folder. Links are followed after all that is really there has been seen, and lead to nothing
 * that has been seen already: no circle, and no document twice.
 */
export async function searchFolder(root: string, rules: IgnoreRules): Promise<FolderSearch> {
  const walked: FolderSearch = { files: [], folders: [], ignored: 0, failures: [], skipped: [] };
  const seen = new Set<string>();
  const links: string[] = [];

  const enter = async (folder: string, real: string): Promise<void> => {
    if (seen.has(real)) return;
    seen.add(real);
    const entries = attempt(folder, () => readdirSync(folder, { withFileTypes: true }), walked);
    if (entries === null) return;
    walked.folders.push(folder);
    const isIgnored = await rules.within(folder);
    const [start, realStart] = [startOf(folder), startOf(real)];
    for (const entry of entries.sort(byName)) {
      const { name } = entry;
      const path = start + name;
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) {
        if (SKIPPED.has(name) || isIgnored(path, true)) continue;
        await enter(path, realStart + name);
      } else if (!isMarkdown(name)) continue;
      else if (entry.isFile()) addFile(path, realStart + name, isIgnored);
      else if (!isIgnored(path, false)) walked.skipped.push({ path, what: kindOf(entry) });
    }
  };

  const addFile = (path: string, real: string, isIgnored: IsIgnored): void => {
    if (seen.has(real)) return;
    seen.add(real);
    if (isIgnored(path, false)) walked.ignored += 1;
    else walked.files.push({ path, real });
  };

  const follow = async (path: string): Promise<void> => {
    const target = attempt(path, () => targetOf(path), walked);
    const isIgnored = await rules.within(dirname(path));
    if (target?.isFolder) {
      if (!isIgnored(path, true)) await enter(path, target.real);
    } else if (target?.isFile && isMarkdown(path)) addFile(path, target.real, isIgnored);
    else if (target?.what != null && isMarkdown(path) && !isIgnored(path, false)) {
      walked.skipped.push({ path, what: target.what });
    }
  };

  const real = attempt(root, () => realpathSync(root), walked);
  if (real !== null) await enter(root, real);
  // The target of a link may contain further links.
  for (const path of links) await follow(path);
  return walked;
}

type IsIgnored = (path: string, isFolder: boolean) => boolean;

/** What the paths of all that lies in a folder begin with. */
function startOf(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}

export function isMarkdown(path: string): boolean {
  return /\.md$/i.test(path);
}

/** Where a path leads, links followed. `what`: what is there, or that nothing is, if it isn't a file or folder. */
export function targetOf(path: string): {
  real: string;
  isFolder: boolean;
  isFile: boolean;
  what: string | null;
} {
  const stats = statOrNull(path);
  if (stats === 'ELOOP') return { real: path, isFolder: false, isFile: false, what: 'a circle of links' };
  if (stats === null) return { real: path, isFolder: false, isFile: false, what: 'a broken link' };
  const isFolder = stats.isDirectory();
  const isFile = stats.isFile();
  return { real: realpathSync(path), isFolder, isFile, what: isFile || isFolder ? null : kindOf(stats) };
}

function statOrNull(path: string): Stats | null | 'ELOOP' {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return 'ELOOP';
    throw error;
  }
}

function kindOf(entry: Dirent | Stats): string {
  if (entry.isFIFO()) return 'a named pipe';
  return entry.isSocket() ? 'a socket' : 'a device';
}

function attempt<T>(path: string, work: () => T, { failures }: FolderSearch): T | null {
  try {
    return work();
  } catch (cause) {
    failures.push({ path, cause });
    return null;
  }
}

function byName(a: Dirent, b: Dirent): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
