import type { BlockNode, StepNode } from '../../../protocol/model.ts';
import type { ProposalTemplate } from '../../../protocol/schema.ts';
import type { RuleContext } from '../../rule.ts';
import { guardedSteps } from './templates.ts';

/** A reference to evidence in a proposal, where it is written. */
export interface EvidenceRef {
  step: StepNode;
  /** The steps of the chain, for what the reference leads to. */
  steps: readonly StepNode[];
  block: BlockNode;
  template: ProposalTemplate;
  ref: string;
  path: (string | number)[];
  /** A binding must name a step; a precondition may name a binding. */
  isBinding: boolean;
}

/** Every `evidence_ref` of preconditions and every `ref` of bindings, in order. */
export function evidenceRefs(context: Pick<RuleContext, 'steps'>): EvidenceRef[] {
  return guardedSteps(context).flatMap(({ chain, step, block, template }) => {
    const common = { step, steps: chain.steps, block, template };
    return [
      ...(template.preconditions ?? []).map(({ evidence_ref }, at) => ({
        ...common,
        ref: evidence_ref,
        path: ['proposal', 'preconditions', at, 'evidence_ref'],
        isBinding: false,
      })),
      ...(template.evidence_bindings ?? []).map(({ ref }, at) => ({
        ...common,
        ref,
        path: ['proposal', 'evidence_bindings', at, 'ref'],
        isBinding: true,
      })),
    ];
  });
}

/** The number in `step:3`; null for anything else. */
export function stepNumber(ref: string): number | null {
  const digits = /^step:([1-9][0-9]{0,5})$/.exec(ref)?.[1];
  return digits === undefined ? null : Number(digits);
}
