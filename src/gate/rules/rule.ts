import type { Case } from '../input.ts';
import type { Violation } from '../violation.ts';

/** One reason to refuse a proposal. Related rules share a file; `index.ts` has the order of all. */
export interface Rule {
  code: string;
  /** The requirement, for the documentation. */
  title: string;
  /** All violations. Fields that don't have their shape are another rule's business. Pure, never throws. */
  check(item: Case): Violation[];
}
