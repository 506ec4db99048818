import { isGiven } from '../input.ts';
import { isAtLeast } from '../policy/rule-for.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-116');

/** approval_class is the template's or a higher one. */
export const classLowered: Rule = {
  code: 'K-PROP-116',
  title: "approval_class is the template's or a higher one",
  check: (item) => {
    const { fields, guarded, reading } = item;
    const malformed = isGiven(item, 'approval_class') && fields.approval_class === undefined;
    if (reading.raw === null || malformed) return [];
    return isAtLeast(fields.approval_class ?? 'none', guarded.template.approval_class ?? 'none')
      ? []
      : [found('/approval_class', 'It is lower than the class of the template.')];
  },
};
