import type { Case } from '../input.ts';
import type { Violation } from '../violation.ts';

/** One reason for which a proposal is refused. A file and a line in the registry. */
export interface Rule {
  code: string;
  /** What has to hold, for the documentation. */
  title: string;
  /** All violations; fields that do not have their shape are another rule's business. Pure, never throws. */
  check(item: Case): Violation[];
}
