import { isJsonObject, jsonEqual, own } from '../../proof/json-equal.ts';
import { isGiven } from '../input.ts';
import type { ProposalField } from '../proposal.ts';
import { pointerTo, type Violation, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-112');

/** Every field that the template sets is equal in the proposal. */
export const templateEqual: Rule = {
  code: 'K-PROP-112',
  title: 'Every field that the template sets is equal in the proposal',
  check: (item) => {
    const { raw } = item.reading;
    if (raw === null) return [];
    const { template } = item.guarded;
    const { action_type, target = {}, risk_envelope: envelope = {}, time_window: window = {} } = template;
    return [
      ...differs(raw, ['action_type'], action_type),
      ...TARGET.flatMap((key) => differs(raw, ['target', key], target[key])),
      ...ENVELOPE.flatMap((key) => differs(raw, ['risk_envelope', key], envelope[key])),
      ...differs(raw, ['time_window', 'max_duration_ms'], window.max_duration_ms),
      ...(isGiven(item, 'evidence_bindings')
        ? differs(raw, ['evidence_bindings'], template.evidence_bindings)
        : []),
    ];
  },
};

const TARGET = ['resource_type', 'resource_id', 'domain', 'constraints'] as const;
const ENVELOPE = ['max_affected_records', 'reversible_required'] as const;

/** What is missing or mistyped is not equal either, and hides nothing of what stands beside it. */
function differs(
  raw: Record<string, unknown>,
  path: readonly [ProposalField, ...string[]],
  expected: unknown,
): Violation[] {
  if (expected === undefined) return [];
  const actual = path.reduce<unknown>(
    (value, key) => (isJsonObject(value) ? own(value, key) : undefined),
    raw,
  );
  if (actual !== undefined && jsonEqual(actual, expected)) return [];
  return [found(pointerTo('', ...path), 'The template sets it, and it is not equal here.')];
}
