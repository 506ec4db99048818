import { isObject } from '../../base/json.ts';
import type { BlockNode } from '../../protocol/model.ts';
import type { ProposalTemplate } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { gatedExample } from './support/example.ts';
import { gatedSteps } from './support/templates.ts';
import { nearestPlace } from './support/written.ts';

/** Templates that allow and forbid the same. */
export const proposalContradiction: LintRule = {
  id: 'proposal-contradiction',
  family: 'proposal',
  severity: 'error',
  summary:
    'A proposal template can be satisfied: it does not allow and forbid the same thing, or require two values.',
  why: 'The gate denies every proposal in which an effect is both allowed and forbidden, or is outside of what is allowed, or in which a parameter resource_id is not that of the target, and the template cannot be widened. So the step could never be passed.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'An effect that is allowed and forbidden',
        source: gatedExample({
          risk_envelope: { allowed_side_effects: ['audit entry', 'mail'], forbidden_effects: ['mail'] },
        }),
        findings: [
          {
            line: 24,
            column: 293,
            reason:
              'The effect "mail" is both allowed and forbidden, so every proposal is denied. Choose one.',
          },
        ],
      },
      {
        title: 'An effect outside of what is allowed, and a field in both lists',
        source: gatedExample({
          target: {
            resource_type: 'record',
            constraints: { allowed_fields: ['email', 'ssn'], forbidden_fields: ['ssn'] },
          },
          effects: ['mail'],
          risk_envelope: { allowed_side_effects: ['audit entry'] },
        }),
        findings: [
          {
            line: 24,
            column: 121,
            reason: 'The field "ssn" is both allowed and forbidden, so no proposal may set it. Choose one.',
          },
          {
            line: 24,
            column: 299,
            reason:
              'The step has the effect "mail", which its risk_envelope does not allow, so every proposal is denied. Add it to allowed_side_effects, or remove it from effects.',
          },
        ],
      },
      {
        title: 'A resource that the target names otherwise than the parameter',
        source: gatedExample({
          target: { resource_type: 'database', resource_id: 'main', domain: 'db.example.org' },
          parameters_schema: { properties: { resource_id: { const: 'copy' } } },
        }),
        findings: [
          {
            line: 24,
            column: 94,
            reason:
              'The parameter resource_id is "copy" and the resource_id of the target "main", so every proposal is denied. They have to be the same.',
          },
        ],
      },
      {
        title: 'Effects within what is allowed',
        source: gatedExample({
          effects: ['audit entry'],
          risk_envelope: { allowed_side_effects: ['audit entry', 'reload'], forbidden_effects: ['mail'] },
        }),
        findings: [],
      },
    ];
  },
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
