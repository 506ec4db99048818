import type { BlockNode, StepNode } from '../../../protocol/model.ts';
import type { ProposalTemplate } from '../../../protocol/schema.ts';
import type { RuleContext } from '../../rule.ts';

export interface GuardedStep {
  step: StepNode;
  block: BlockNode;
  template: ProposalTemplate;
}

/** The steps that are guarded by a proposal, in order. */
export function guardedSteps({ steps }: Pick<RuleContext, 'steps'>): GuardedStep[] {
  return steps.flatMap(({ step }) => {
    const { block } = step;
    const template = block?.value.proposal;
    return block === null || template === undefined ? [] : [{ step, block, template }];
  });
}

/** The variable that a parameter of a command is handed over in; null when its key makes none (SPEC 7). */
export function parameterVariable(key: string): string | null {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `KAIROS_PARAM_${key.toUpperCase()}` : null;
}

/** The parameters that a template declares, by key. */
export function declaredParameters({ parameters_schema: schema }: ProposalTemplate): string[] {
  const properties = schema?.properties;
  return typeof properties === 'object' && properties !== null && !Array.isArray(properties)
    ? Object.keys(properties)
    : [];
}
