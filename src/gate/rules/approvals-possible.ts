import { eligibleApprovers } from '../approval/count.ts';
import { quorumOf } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('V-PROP-014');

/** approval_class requirements must be satisfiable. */
export const approvalsPossible: Rule = {
  code: 'V-PROP-014',
  title: 'approval_class requirements must be satisfiable',
  check: (item) => {
    const quorum = quorumOf(item);
    if (quorum === null)
      return [found('/approval_class', 'No rule of the policy says who of how many must approve.')];
    return eligibleApprovers(item).length >= quorum.needed
      ? []
      : [found('/approval_class', 'There are not enough people who could approve this.')];
  },
};
