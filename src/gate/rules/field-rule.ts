import type { ProposalField } from '../proposal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

/** A rule about the shape of one field: every place in it that is missing or mistyped. */
export function fieldRule(code: string, field: ProposalField, message: string): Rule {
  const found = violations(code);
  return {
    code,
    title: message.replace(/\.$/, ''),
    check: ({ reading }) => {
      if (reading.raw === null) return [];
      return (reading.problems.get(field)?.wrong ?? []).map((pointer) => found(pointer, message));
    },
  };
}
