import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { compareText } from '../message.ts';
import { allIgnored, ignoreRules } from './ignore-rules.ts';
import { type FoundFile, isMarkdown, type Skipped, searchFolder, targetOf } from './walk.ts';

/** A document to check. */
export interface DiscoveredFile {
  /** What it is called in messages: relative to the working directory where it lies in it. */
  name: string;
  /** Absolute. */
  file: string;
  /**
   * Named by its own path, not found in a folder or by a pattern: then it is checked even if it looks like
   * prose.
   */
  isNamed: boolean;
}

export interface Discovery {
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
 * Finds the documents that arguments stand for: files, folders, patterns. Throws USAGE for an argument that stands for nothing.
 */
export async function discover(args: readonly string[], cwd: string): Promise<Discovery> {
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
    if (stats !== undefined && !stats.isDirectory()) {
      if (await rules.isIgnored(path, false)) discovery.ignored += 1;
      else add({ path, real: realpathSync(path) }, true);
      continue;
    }
    const matched =
      stats === undefined ? await matchPattern(arg, cwd, rules.isIgnored) : await searchFolder(path, rules);
    if (stats === undefined && matched.files.length === 0 && (arg.endsWith('/') || arg.endsWith(sep)))
      throw noFolder(arg);
    if (matched.files.length === 0 && matched.failures.length === 0)
      throw nothingFound(arg, stats !== undefined, matched.ignored);
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
export function displayName(file: string, cwd: string): string {
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
) {
  const { expandPattern } = await import('./pattern.ts');
  const { files, folders } = await expandPattern(pattern, cwd);
  const markdown = files.filter(isMarkdown);
  const kept: FoundFile[] = [];
  const skipped: Skipped[] = [];
  let ignored = 0;
  for (const path of markdown) {
    if (await isIgnored(path, false)) ignored += 1;
    else {
      const { real, isFile, what } = targetOf(path);
      if (isFile) kept.push({ path, real });
      else if (what !== null) skipped.push({ path, what });
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

function nothingFound(arg: string, isFolderArg: boolean, ignored: number): KairosError {
  if (ignored > 0) {
    return allIgnored(`${arg}: every markdown file there`, ignored);
  }
  return isFolderArg
    ? new KairosError('USAGE', `${arg} contains no markdown file`, { hint: 'Folders are searched for *.md.' })
    : new KairosError('USAGE', `${arg} matches no markdown file`, {
        hint: 'Check the path; quote patterns so that the shell leaves them alone.',
      });
}
