import type { BlockNode, ChainNode, StepNode } from '../../../protocol/model.ts';
import type { ProposalTemplate } from '../../../protocol/schema.ts';
import type { RuleContext } from '../../rule.ts';

export interface GuardedStep {
  chain: ChainNode;
  step: StepNode;
  block: BlockNode;
  template: ProposalTemplate;
}

/** The steps that are gated by a proposal, in order. */
export function guardedSteps({ steps }: Pick<RuleContext, 'steps'>): readonly GuardedStep[] {
  let found: GuardedStep[] | undefined;
  for (const { chain, step } of steps) {
    const { block } = step;
    const template = block?.value.proposal;
    if (block === null || template === undefined) continue;
    found ??= [];
    found.push({ chain, step, block, template });
  }
  return found ?? NONE;
}

/** Most documents have none, and many rules ask. */
const NONE: readonly GuardedStep[] = [];

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
