import { jsonEqual } from '../../proof/json-equal.ts';
import { type Case, isGiven } from '../input.ts';
import type { ProposalField } from '../proposal.ts';
import { pointerTo, type Violation, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-112');

/** Every field that the template sets is equal in the proposal. */
export const templateEqual: Rule = {
  code: 'K-PROP-112',
  title: 'Every field that the template sets is equal in the proposal',
  check: (item) => {
    const { template } = item.guarded;
    const { action_type, target = {}, risk_envelope: envelope = {}, time_window: window = {} } = template;
    return [
      ...differs(item, 'action_type', [], action_type),
      ...TARGET.flatMap((key) => differs(item, 'target', [key], target[key])),
      ...ENVELOPE.flatMap((key) => differs(item, 'risk_envelope', [key], envelope[key])),
      ...differs(item, 'time_window', ['max_duration_ms'], window.max_duration_ms),
      ...(isGiven(item, 'evidence_bindings')
        ? differs(item, 'evidence_bindings', [], template.evidence_bindings)
        : []),
    ];
  },
};

const TARGET = ['resource_type', 'resource_id', 'domain', 'constraints'] as const;
const ENVELOPE = ['max_affected_records', 'reversible_required'] as const;

function differs(item: Case, field: ProposalField, path: string[], expected: unknown): Violation[] {
  if (expected === undefined) return [];
  const { reading, fields } = item;
  const malformed = isGiven(item, field) && fields[field] === undefined;
  if (malformed || reading.raw === null) return [];
  const actual = path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    fields[field],
  );
  if (actual !== undefined && jsonEqual(actual, expected)) return [];
  return [found(pointerTo('', field, ...path), 'The template sets it, and it is not equal here.')];
}
