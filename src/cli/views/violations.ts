import type { Violation } from '../../proof/verdict.ts';

/** Places that a schema rejects, one a line. Raw texts: the caller escapes them. */
export function violationLines(violations: readonly Violation[] = []): string[] {
  return violations.map(({ pointer, keyword }) => `${pointer === '' ? '(everything)' : pointer}  ${keyword}`);
}
