import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { compareText } from '../message.ts';
import { allIgnored, type IgnoreRules, ignoreRules } from './ignore-rules.ts';
import { kindOf, startOf, targetOf } from './read-document.ts';

/** The entries found in a folder. Paths are absolute. */
interface FolderSearch {
  files: FoundFile[];
  /** Folders that were entered. */
  folders: string[];
  /** Markdown files that ignore files leave out. */
  ignored: number;
  failures: { path: string; cause: unknown }[];
  /** Names of markdown that can't be documents: broken links, sockets, devices. */
  skipped: Skipped[];
}

interface Skipped {
  path: string;
  /** For example `a broken link`. */
  what: string;
}

interface FoundFile {
  path: string;
  /** The same with links resolved, to detect two names of one document. */
  real: string;
}

/** Folders that never contain a user's protocols. */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Every markdown file below a folder. Links are followed after everything that is really there has been seen, and lead to nothing
 * that has been seen already, and to nothing outside of the folder: no circle, and no document twice.
 */
async function searchFolder(
  root: string,
  arg: string,
  rules: IgnoreRules,
  names: RegExp,
): Promise<FolderSearch> {
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
      } else if (!names.test(name)) continue;
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
    const target = attempt(path, () => targetOf(path, real!, arg), walked);
    const isIgnored = await rules.within(dirname(path));
    if (target?.isFolder) {
      if (!isIgnored(path, true)) await enter(path, target.real);
    } else if (target?.isFile && names.test(path)) addFile(path, target.real, isIgnored);
    else if (target?.what != null && (target.isOut || names.test(path)) && !isIgnored(path, false)) {
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

const MARKDOWN = /\.md$/i;

function attempt<T>(path: string, work: () => T, { failures }: FolderSearch): T | null {
  try {
    return work();
  } catch (cause) {
    failures.push({ path, cause });
    return null;
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

/** A document to check. */
interface DiscoveredFile {
  /** Its name in messages: relative inside the working directory, else absolute. */
  name: string;
  /** Absolute. */
  file: string;
  /**
   * Named by its own path, not found in a folder or by a pattern: then it is checked even if it looks like
   * prose.
   */
  isNamed: boolean;
}

interface Discovery {
  /** By name; each file once. */
  targets: DiscoveredFile[];
  /** Markdown files that ignore files leave out. */
  ignored: number;
  /** Folders that could not be listed. */
  failures: { name: string; cause: unknown }[];
  /** What can't be a document and was found in a folder or by a pattern. */
  skipped: { name: string; what: string }[];
  /** Folders in which a new document would be found. */
  folders: string[];
}

/**
 * Finds the documents that arguments stand for: files, folders, patterns. In folders those whose names match. Throws USAGE for an argument that stands for nothing.
 */
export async function discover(args: readonly string[], cwd: string, names = MARKDOWN): Promise<Discovery> {
  const found = new Map<string, DiscoveredFile>();
  const discovery: Discovery = { targets: [], ignored: 0, failures: [], skipped: [], folders: [] };
  const folders = args.map((arg) => resolve(cwd, arg)).filter((path) => isFolder(path));
  const rules = ignoreRules([cwd, ...folders]);
  const add = ({ path, real }: FoundFile, isNamed: boolean) => {
    const known = found.get(real);
    if (known === undefined || (isNamed && !known.isNamed)) {
      found.set(real, { name: displayName(path, cwd), file: path, isNamed });
    }
  };

  for (const arg of args) {
    const path = resolve(cwd, arg);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined && !isAbsolute(arg) && !isFolder(cwd)) throw noWorkingFolder(cwd);
    if (stats !== undefined && !stats.isDirectory()) {
      if (await rules.isIgnored(path, false)) discovery.ignored += 1;
      else add({ path, real: realpathSync(path) }, true);
      continue;
    }
    const matched =
      stats === undefined
        ? await matchPattern(arg, cwd, rules.isIgnored, names)
        : await searchFolder(path, arg, rules, names);
    if (stats === undefined && matched.files.length === 0 && (arg.endsWith('/') || arg.endsWith(sep)))
      throw noFolder(arg);
    if (matched.files.length === 0 && matched.failures.length === 0)
      throw nothingFound(arg, stats !== undefined, matched);
    for (const file of matched.files) add(file, false);
    discovery.ignored += matched.ignored;
    discovery.folders.push(...matched.folders);
    for (const { path, what } of matched.skipped) {
      discovery.skipped.push({ name: displayName(path, cwd), what });
    }
    for (const failure of matched.failures) {
      discovery.failures.push({ name: displayName(failure.path, cwd), cause: failure.cause });
    }
  }
  discovery.targets = [...found.values()].sort((a, b) => compareText(a.name, b.name));
  return discovery;
}

/** A path as messages have it: relative within the working directory, absolute elsewhere. */
function displayName(file: string, cwd: string): string {
  const prefix = cwd.endsWith(sep) ? cwd : `${cwd}${sep}`;
  // Both are normalised; `relative` is slow for thousands of files.
  if (file.startsWith(prefix)) return file.slice(prefix.length) || '.';
  const inside = relative(cwd, file);
  if (inside === '') return '.';
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? file : inside;
}

async function matchPattern(
  pattern: string,
  cwd: string,
  isIgnored: (path: string, isFolder: boolean) => Promise<boolean>,
  names: RegExp,
) {
  const { baseOf, expandPattern } = await import('./pattern.ts');
  const { files, folders } = await expandPattern(pattern, cwd);
  const markdown = files.filter((file) => names.test(file));
  const base = baseOf(pattern);
  const root = markdown.length === 0 ? '' : realpathSync(resolve(cwd, base));
  const kept: FoundFile[] = [];
  const skipped: Skipped[] = [];
  let ignored = 0;
  for (const path of markdown) {
    if (await isIgnored(path, false)) ignored += 1;
    else {
      const { real, isFile, isOut, what } = targetOf(path, root, base);
      if (isFile) kept.push({ path, real });
      else if (isOut && what !== null) {
        // The link may be that of a folder, whose other files are left out too.
        let link = path;
        for (let at = dirname(path); at.startsWith(startOf(resolve(cwd, base))); at = dirname(at))
          if (targetOf(at, root, base).isOut) link = at;
        if (!skipped.some((each) => each.path === link)) skipped.push({ path: link, what });
      } else if (what !== null) skipped.push({ path, what });
    }
  }
  return { files: kept, folders, ignored, failures: [], skipped };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function noFolder(arg: string): KairosError {
  return new KairosError('USAGE', `the folder ${arg} does not exist`, { hint: 'Check the path.' });
}

function noWorkingFolder(cwd: string): KairosError {
  return new KairosError('USAGE', `the working directory ${cwd} no longer exists`, {
    hint: 'Change into a folder that exists, or give absolute paths.',
  });
}

function nothingFound(
  arg: string,
  isFolderArg: boolean,
  { ignored, skipped }: Pick<FolderSearch, 'ignored' | 'skipped'>,
): KairosError {
  if (ignored > 0) return allIgnored(`${arg}: every markdown file there`, ignored);
  const [first] = skipped;
  if (first !== undefined)
    return new KairosError('USAGE', `${arg} contains no markdown file but ${first.path}: ${first.what}`, {
      hint: 'Name the file or folder that it leads to.',
    });
  return isFolderArg
    ? new KairosError('USAGE', `${arg} contains no markdown file`, { hint: 'Folders are searched for *.md.' })
    : new KairosError('USAGE', `${arg} matches no markdown file`, {
        hint: 'Check the path; quote patterns so that the shell leaves them alone.',
      });
}
