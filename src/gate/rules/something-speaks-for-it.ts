import { coveringRules, effectiveClass } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-134');

/** Evidence, or a person, speaks for it: that nothing speaks against it is no permission. */
export const somethingSpeaksForIt: Rule = {
  code: 'K-PROP-134',
  title: 'Evidence, or a person, speaks for it: that nothing speaks against it is no permission',
  check: (item) => {
    const { fields, reading, guarded } = item;
    // That a permit was used and the step not proven is on record: that is what a rollback has to show.
    if (guarded.undoes !== undefined) return [];
    if (reading.raw === null || reading.problems.has('preconditions')) return [];
    if (effectiveClass(item) !== 'none' || (fields.preconditions ?? []).length > 0) return [];
    const rules = coveringRules(item);
    return rules.length > 0 && rules.every(({ evidence_optional }) => evidence_optional)
      ? []
      : [found('/preconditions', 'Without an approval it takes a precondition with evidence.')];
  },
};
