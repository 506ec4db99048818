import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a walk meets. Paths are absolute. */
export interface Walked {
  files: FoundFile[];
  /** Folders that were entered. */
  folders: string[];
  /** Markdown files that ignore files leave out. */
  ignored: number;
  failures: { path: string; cause: unknown }[];
}

export interface FoundFile {
  path: string;
  /** The same without links in it: what tells whether two names are one document. */
  real: string;
}

export type IsIgnored = (path: string, isFolder: boolean) => Promise<boolean>;

/** Never anybody's protocols. */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Every markdown file below a folder. Links are followed after all that is really there has been seen, and lead to nothing
 * that has been seen already: no circle, and no document twice.
 */
export async function walk(root: string, isIgnored: IsIgnored): Promise<Walked> {
  const walked: Walked = { files: [], folders: [], ignored: 0, failures: [] };
  const seen = new Set<string>();
  const links: string[] = [];

  const enter = async (folder: string, real: string): Promise<void> => {
    if (seen.has(real)) return;
    seen.add(real);
    const entries = attempt(folder, () => readdirSync(folder, { withFileTypes: true }), walked);
    if (entries === null) return;
    walked.folders.push(folder);
    for (const entry of entries.sort(byName)) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) {
        if (SKIPPED.has(entry.name) || (await isIgnored(path, true))) continue;
        await enter(path, join(real, entry.name));
      } else if (entry.isFile() && isMarkdown(entry.name)) {
        await addFile(path, join(real, entry.name));
      }
    }
  };

  const addFile = async (path: string, real: string): Promise<void> => {
    if (seen.has(real)) return;
    seen.add(real);
    if (await isIgnored(path, false)) walked.ignored += 1;
    else walked.files.push({ path, real });
  };

  const follow = async (path: string): Promise<void> => {
    const target = attempt(path, () => targetOf(path), walked);
    if (target?.isFolder) {
      if (!(await isIgnored(path, true))) await enter(path, target.real);
    } else if (target?.isFile && isMarkdown(path)) await addFile(path, target.real);
  };

  const real = attempt(root, () => realpathSync(root), walked);
  if (real !== null) await enter(root, real);
  // Whatever a link leads to may hold further links.
  for (const path of links) await follow(path);
  return walked;
}

export function isMarkdown(path: string): boolean {
  return /\.md$/i.test(path);
}

/** Where a link leads. A document that leads to nothing counts as a file, so that somebody is told about it. */
function targetOf(path: string): { real: string; isFolder: boolean; isFile: boolean } {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { real: path, isFolder: false, isFile: true };
  return { real: realpathSync(path), isFolder: stats.isDirectory(), isFile: stats.isFile() };
}

function attempt<T>(path: string, work: () => T, { failures }: Walked): T | null {
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
