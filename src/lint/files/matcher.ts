import ignore, { type Ignore } from 'ignore';

/** Patterns in the syntax of .gitignore, case-sensitive as in git. A separate module, so that the library is loaded only when there are patterns. */
export function createIgnore(patterns: string | readonly string[]): Ignore {
  return ignore({ allowRelativePaths: false, ignorecase: false }).add(patterns);
}
