import type { Violation } from '../../proof/verdict.ts';

/** Places that a schema refuses, a line for each. Raw texts: whoever prints them escapes them. */
export function violationLines(violations: readonly Violation[] = []): string[] {
  return violations.map(({ pointer, keyword }) => `${pointer === '' ? '(the whole)' : pointer}  ${keyword}`);
}
