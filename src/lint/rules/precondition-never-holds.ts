import type { ProposalTemplate } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

type Precondition = NonNullable<ProposalTemplate['preconditions']>[number];

export const preconditionNeverHolds: LintRule = {
  id: 'precondition-never-holds',
  family: 'proposal',
  severity: 'error',
  summary: 'The value of a precondition suits its operator.',
  why: 'Values are not converted: `gt` compares numbers, `matches` needs a pattern. A value of another type fails for every evidence, so the proposal would always be denied.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      for (const [at, { operator, value }] of (template.preconditions ?? []).entries()) {
        const reason = fault(operator, value);
        if (reason === null) continue;
        context.report({
          place: nearestPlace(context, block, ['proposal', 'preconditions', at, 'value']),
          reason,
        });
      }
    }
  },
};

function fault(operator: Precondition['operator'], value: unknown): string | null {
  const type = value === null ? 'null' : Array.isArray(value) ? 'a list' : KINDS[typeof value];
  if ((operator === 'gt' || operator === 'lt') && typeof value !== 'number')
    return `"${operator}" compares numbers, but this is ${type}, so it is never true. Write the number without quotes.`;
  if (operator === 'matches' && typeof value !== 'string')
    return `"matches" needs a pattern, but this is ${type}, so it is never true. Write the pattern in quotes.`;
  return null;
}

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
};
