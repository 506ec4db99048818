import type { ProposalField } from '../proposal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

/** The required fields have their shape: one rule each, every place in the field that is missing or mistyped. */
export const FIELD_RULES: readonly Rule[] = (
  [
    ['V-PROP-001', 'proposal_id', 'proposal_id must be a non-empty string.'],
    ['V-PROP-002', 'ts_ms', 'ts_ms must be a positive integer.'],
    ['V-PROP-003', 'actor', 'actor must be a non-empty string.'],
    ['V-PROP-004', 'action_type', 'action_type must be one of the ActionType values.'],
    [
      'V-PROP-005',
      'target',
      'target must have resource_type, resource_id, domain and constraints, each of its type.',
    ],
    ['V-PROP-006', 'parameters', 'parameters must be an object of JSON values.'],
  ] as const
).map(([code, field, message]) => ({
  code,
  title: message.replace(/\.$/, ''),
  check: ({ reading }) =>
    reading.raw === null
      ? []
      : (reading.problems.get(field)?.wrong ?? []).map((pointer) => violations(code)(pointer, message)),
}));

const unknown = violations('K-PROP-106');

export const unknownField: Rule = {
  code: 'K-PROP-106',
  title: 'No field is there that the schema does not have',
  check: ({ reading }) =>
    [...reading.problems.values()]
      .flatMap((problems) => problems.unknown)
      .map((pointer) => unknown(pointer, 'The schema has no such field.')),
};

const mistyped = violations('K-PROP-107');

const OPTIONAL: ProposalField[] = [
  'preconditions',
  'risk_envelope',
  'rollback_semantics',
  'time_window',
  'approval_class',
  'evidence_bindings',
  'effects',
];

export const optionalField: Rule = {
  code: 'K-PROP-107',
  title: 'An optional field that is given has its whole shape',
  check: ({ reading }) =>
    OPTIONAL.flatMap((field) => reading.problems.get(field)?.wrong ?? []).map((pointer) =>
      mistyped(pointer, 'It is missing, or not of its type.'),
    ),
};
