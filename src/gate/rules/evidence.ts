import { bindingsOf, coveringRules } from '../effective.ts';
import { type EvidenceFacts, resolveEvidence } from '../evidence/resolve.ts';
import type { Case } from '../input.ts';
import type { Precondition } from '../proposal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('V-PROP-013');

/** All preconditions must reference valid evidence. */
export const evidence: Rule = {
  code: 'V-PROP-013',
  title: 'All preconditions must reference valid evidence',
  check: (item) => {
    const facts = evidenceFacts(item);
    return item.parts.preconditions.flatMap(({ at, precondition }) => {
      const resolution = resolveEvidence(precondition.evidence_ref, facts);
      return resolution.ok ? [] : [found(`/preconditions/${at}/evidence_ref`, resolution.message)];
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

/** The preconditions whose evidence may be relied on, each with its place and what the evidence holds. */
export function supported(item: Case): { at: number; precondition: Precondition; packet: unknown }[] {
  const facts = evidenceFacts(item);
  return item.parts.preconditions.flatMap(({ at, precondition }) => {
    const resolution = resolveEvidence(precondition.evidence_ref, facts);
    return resolution.ok ? [{ at, precondition, packet: resolution.proof.packet }] : [];
  });
}
