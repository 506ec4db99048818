import type { ProposalField } from '../proposal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-107');

/** An optional field that is given has its whole shape. */
export const optionalField: Rule = {
  code: 'K-PROP-107',
  title: 'An optional field that is given has its whole shape',
  check: ({ reading }) =>
    OPTIONAL.flatMap((field) => reading.problems.get(field)?.wrong ?? []).map((pointer) =>
      found(pointer, 'It is missing, or not of its type.'),
    ),
};

const OPTIONAL: ProposalField[] = [
  'preconditions',
  'risk_envelope',
  'rollback_semantics',
  'time_window',
  'approval_class',
  'evidence_bindings',
  'effects',
];
