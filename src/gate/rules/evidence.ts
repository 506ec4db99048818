import { bindingsOf, coveringRules } from '../effective.ts';
import { lookUp } from '../evidence/look-up.ts';
import { type EvidenceFacts, resolveEvidence } from '../evidence/resolve.ts';
import type { Case } from '../input.ts';
import { holds } from '../operators.ts';
import { shown, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const unfounded = violations('V-PROP-013');

export const evidence: Rule = {
  code: 'V-PROP-013',
  title: 'All preconditions must reference valid evidence',
  check: (item) => {
    const facts = evidenceFacts(item);
    return item.parts.preconditions.flatMap(({ at, precondition }) => {
      const resolution = resolveEvidence(precondition.evidence_ref, facts);
      return resolution.ok ? [] : [unfounded(`/preconditions/${at}/evidence_ref`, resolution.message)];
    });
  },
};

const contradicted = violations('K-PROP-121');

export const preconditionHolds: Rule = {
  code: 'K-PROP-121',
  title: 'The evidence satisfies every precondition',
  check: (item) => {
    const facts = evidenceFacts(item);
    return item.parts.preconditions.flatMap(({ at, precondition }) => {
      const { field, operator, value, evidence_ref: ref } = precondition;
      const resolution = resolveEvidence(ref, facts);
      if (!resolution.ok) return [];
      const actual = lookUp(resolution.proof.packet, field);
      if (!actual.found)
        return [contradicted(`/preconditions/${at}/field`, 'The evidence has no such field.')];
      if (holds(operator, actual.value, value, item.tools.patterns)) return [];
      const asked = `${operator} ${shown(value)}`;
      return [
        contradicted(
          `/preconditions/${at}`,
          `The evidence says ${shown(actual.value)}; this asks for ${asked}.`,
        ),
      ];
    });
  },
};

/** What references of this proposal are resolved with. */
export function evidenceFacts(item: Case): EvidenceFacts {
  return {
    evidence: item.evidence,
    bindings: bindingsOf(item),
    rules: coveringRules(item),
    now: item.now,
  };
}
