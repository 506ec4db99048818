import { createScanner, type SyntaxKind } from 'jsonc-parser';

/** Deeper than any configuration, and far from where readers, which are recursive, come to the end of their stack. */
const MAX_DEPTH = 500;

/** Whether JSON, comments and all, has more levels than are read. */
export function isTooDeep(text: string): boolean {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token = scanner.scan(); token !== END; token = scanner.scan()) {
    if (OPENING.has(token)) depth += 1;
    else if (CLOSING.has(token)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

// The library's names for these don't exist after compilation.
const OPENING: ReadonlySet<SyntaxKind> = new Set([1, 3]);
const CLOSING: ReadonlySet<SyntaxKind> = new Set([2, 4]);
const END: SyntaxKind = 17;
