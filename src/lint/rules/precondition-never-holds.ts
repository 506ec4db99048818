import type { ProposalTemplate } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { gatedExample } from './support/example.ts';
import { gatedSteps } from './support/templates.ts';
import { nearestPlace } from './support/written.ts';

type Precondition = NonNullable<ProposalTemplate['preconditions']>[number];

const precondition = (operator: string, value: unknown) => ({
  preconditions: [{ field: 'stdout', operator, value, evidence_ref: 'step:1' }],
});

/** Preconditions that no evidence can satisfy. */
export const preconditionNeverHolds: LintRule = {
  id: 'precondition-never-holds',
  family: 'proposal',
  severity: 'error',
  summary: 'The value of a precondition suits its operator.',
  why: 'Values are not converted: `gt` compares numbers, `matches` needs a pattern. A value of another type fails for every evidence, so the proposal would always be denied.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'A number in quotes',
        source: gatedExample(precondition('gt', '90')),
        findings: [
          {
            line: 24,
            column: 173,
            reason:
              '"gt" compares numbers, but this is a string, so it is never true. Write the number without quotes.',
          },
        ],
      },
      {
        title: 'An invalid pattern',
        source: gatedExample(precondition('matches', 200)),
        findings: [
          {
            line: 24,
            column: 178,
            reason:
              '"matches" needs a pattern, but this is a number, so it is never true. Write the pattern in quotes.',
          },
        ],
      },
      { title: 'Values that suit', source: gatedExample(precondition('contains', 'passed')), findings: [] },
    ];
  },
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
