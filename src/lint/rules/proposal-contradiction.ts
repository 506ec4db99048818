import { isObject } from '../../base/json.ts';
import type { BlockNode } from '../../protocol/model.ts';
import type { ProposalTemplate } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const proposalContradiction: LintRule = {
  id: 'proposal-contradiction',
  family: 'proposal',
  severity: 'error',
  summary:
    'A proposal template can be satisfied: it does not allow and forbid the same thing, or require two values.',
  why: 'The gate denies every proposal in which an effect is both allowed and forbidden, or is outside of what is allowed, or in which a parameter resource_id is not that of the target, and the template cannot be widened. So the step could never be passed.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const found = [...contradictions(template), ...otherResource(template, block)];
      for (const { path, reason } of found) {
        context.report({ place: nearestPlace(context, block, ['proposal', ...path]), reason });
      }
    }
  },
};

interface Contradiction {
  path: (string | number)[];
  reason: string;
}

function contradictions({
  target,
  effects = [],
  risk_envelope: envelope = {},
}: ProposalTemplate): Contradiction[] {
  const { allowed_side_effects: allowed, forbidden_effects: forbidden = [] } = envelope;
  const fields = names(target?.constraints?.allowed_fields);
  const refused = names(target?.constraints?.forbidden_fields);
  return [
    ...both(fields, refused).map((at) => ({
      path: ['target', 'constraints', 'allowed_fields', at],
      reason: `The field ${JSON.stringify(fields[at])} is both allowed and forbidden, so no proposal may set it. Choose one.`,
    })),
    ...effects.flatMap((effect, at) =>
      forbidden.includes(effect) || allowed?.includes(effect) === false
        ? [
            {
              path: ['effects', at],
              reason: `The step has the effect ${JSON.stringify(effect)}, which its risk_envelope does not allow, so every proposal is denied. Add it to allowed_side_effects, or remove it from effects.`,
            },
          ]
        : [],
    ),
    ...both(allowed ?? [], forbidden).map((at) => ({
      path: ['risk_envelope', 'allowed_side_effects', at],
      reason: `The effect ${JSON.stringify(allowed?.[at])} is both allowed and forbidden, so every proposal is denied. Choose one.`,
    })),
  ];
}

/** A parameter that is fixed to another resource than the target is (K-PROP-129). */
function otherResource(
  { target, parameters_schema: schema }: ProposalTemplate,
  block: BlockNode,
): Contradiction[] {
  const id = target?.resource_id;
  if (id === undefined) return [];
  const demand = block.value.proof_of_work;
  const args = demand?.type === 'mcp' ? demand.mcp.arguments : undefined;
  const declared = memberOf(memberOf(schema, 'properties'), 'resource_id');
  const fixed = [memberOf(declared, 'const'), memberOf(args, 'resource_id')];
  return fixed
    .filter((value) => (typeof value === 'string' || typeof value === 'number') && String(value) !== id)
    .map((value) => ({
      path: ['target', 'resource_id'],
      reason: `The parameter resource_id is ${JSON.stringify(value)} and the resource_id of the target ${JSON.stringify(id)}, so every proposal is denied. They have to be the same.`,
    }));
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function both(allowed: readonly string[], forbidden: readonly string[]): number[] {
  return allowed.flatMap((name, at) => (forbidden.includes(name) ? [at] : []));
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
