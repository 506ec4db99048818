import ignore, { type Ignore } from 'ignore';

/** Patterns in the syntax of .gitignore. A module of its own, so that the library is only loaded where there are any. */
export function createIgnore(patterns: string | readonly string[]): Ignore {
  return ignore({ allowRelativePaths: false }).add(patterns);
}
