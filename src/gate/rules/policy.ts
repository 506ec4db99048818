import { eligibleApprovers, missing } from '../approval/count.ts';
import { coveringRules, effectiveClass, namedEffects, quorumOf } from '../effective.ts';
import type { GateRule } from '../input.ts';
import { isOpenAt, windowText } from '../policy/rule-for.ts';
import { describeValue, violations } from '../violation.ts';

const impossible = violations('V-PROP-014');

export const approvalsPossible: GateRule = {
  code: 'V-PROP-014',
  title: 'approval_class requirements must be satisfiable',
  check: (item) => {
    const quorum = quorumOf(item);
    const asked = effectiveClass(item);
    if (item.policy === null)
      return asked === 'none'
        ? []
        : [
            impossible(
              '/approval_class',
              `Class ${asked} needs a policy with approvers, and no policy applies.`,
            ),
          ];
    if (quorum === null)
      return [impossible('/approval_class', 'No rule of the policy defines who of how many must approve.')];
    const able = eligibleApprovers(item);
    const lacking = missing(quorum, new Set(able));
    return lacking === 0
      ? []
      : [
          impossible(
            '/approval_class',
            `It needs ${quorum.needed} approvers and ${able.length} can approve it now. An approver has a valid key and is not the proposer.`,
          ),
        ];
  },
};

const custom = violations('K-PROP-130');

export const customNeedsPolicy: GateRule = {
  code: 'K-PROP-130',
  title: 'custom is an action only where a rule of the policy names it',
  check: (item) =>
    item.fields.action_type !== 'custom' ||
    coveringRules(item).some(({ match }) => match.action_types?.includes('custom') === true)
      ? []
      : [custom('/action_type', 'No rule of a policy names the action custom.')],
};

const uncovered = violations('K-PROP-131');

export const covered: GateRule = {
  code: 'K-PROP-131',
  title: 'Where there is a policy, one of its rules covers the action and the target',
  check: (item) => {
    const { policy, fields } = item;
    const { action_type: action, target } = fields;
    if (policy === null || action === undefined || target === undefined) return [];
    const what = `${action} on ${describeValue(target.resource_type)} ${describeValue(target.resource_id)} in ${describeValue(target.domain)}`;
    return coveringRules(item).length > 0 ? [] : [uncovered('', `No rule of the policy covers ${what}.`)];
  },
};

const otherActor = violations('K-PROP-132');

export const actorPermitted: GateRule = {
  code: 'K-PROP-132',
  title: 'The policy lets this actor propose it',
  check: (item) =>
    coveringRules(item)
      .filter(({ actors }) => actors !== undefined && !actors.includes(item.actor))
      .map(({ name }) =>
        otherActor('/actor', `Rule ${name} does not let ${describeValue(item.actor)} propose it.`),
      ),
};

const badEffect = violations('K-PROP-133');

export const effectsPermitted: GateRule = {
  code: 'K-PROP-133',
  title: 'The policy permits every effect',
  check: (item) => {
    const effects = new Set([
      ...namedEffects(item),
      ...(item.parts.risk_envelope.allowed_side_effects ?? []),
    ]);
    return coveringRules(item).flatMap(({ name, allowed_effects: allowed, forbidden_effects: forbidden }) =>
      [...effects]
        .filter((effect) => forbidden.includes(effect) || allowed?.includes(effect) === false)
        .map((effect) =>
          badEffect('/risk_envelope', `Rule ${name} does not permit the effect ${describeValue(effect)}.`),
        ),
    );
  },
};

const closed = violations('K-PROP-137');

export const timePermitted: GateRule = {
  code: 'K-PROP-137',
  title: 'The policy permits it at this time',
  check: (item) => {
    // A later step is judged at its start time, so that it can be approved before. It is judged again when it runs.
    const at = Math.max(item.now, item.parts.time_window.valid_from_ms ?? 0);
    return coveringRules(item).flatMap(({ name, windows }) =>
      windows === undefined || isOpenAt(windows, at)
        ? []
        : [closed('/time_window', `Rule ${name} permits it only ${windows.map(windowText).join('; ')}.`)],
    );
  },
};

const unsupported = violations('K-PROP-134');

export const somethingSpeaksForIt: GateRule = {
  code: 'K-PROP-134',
  title: 'Evidence or a person supports it: the absence of a denial is not permission',
  check: (item) => {
    const { fields, reading, gated } = item;
    // For a rollback, the record is the evidence: a used permit and a step that is not proven.
    if (gated.rollsBack !== undefined) return [];
    if (reading.raw === null || reading.problems.has('preconditions')) return [];
    if (effectiveClass(item) !== 'none' || (fields.preconditions ?? []).length > 0) return [];
    const rules = coveringRules(item);
    return rules.length > 0 && rules.every(({ evidence_optional }) => evidence_optional)
      ? []
      : [unsupported('/preconditions', 'Without an approval, a precondition with evidence is required.')];
  },
};
