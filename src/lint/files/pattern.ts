import { dirname, normalize } from 'node:path';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { glob } from 'tinyglobby';

/**
 * The files that a glob pattern matches, absolute, and their folders. A separate module, so that the library
 * is loaded only for patterns.
 */
export async function expandPattern(
  pattern: string,
  cwd: string,
): Promise<{ files: string[]; folders: string[] }> {
  const matched = await glob(pattern, {
    cwd,
    absolute: true,
    dot: true,
    onlyFiles: true,
    expandDirectories: false,
    ignore: ['**/node_modules/**', '**/.git/**'],
  });
  const files = matched.map((file) => normalize(file)).sort();
  return { files, folders: [...new Set(files.map((file) => dirname(file)))] };
}

/** Patterns in the syntax of .gitignore, case-sensitive as in git. A separate module, so that the library is loaded only when there are patterns. */
export function createIgnore(patterns: string | readonly string[]): Ignore {
  return ignore({ allowRelativePaths: false, ignorecase: false }).add(patterns);
}

/** The folder that a pattern names: the part before its first wildcard. */
export function baseOf(pattern: string): string {
  return /^(?:[^*?[\]{}()!\\/]*\/)*/.exec(pattern)?.[0] || '.';
}
