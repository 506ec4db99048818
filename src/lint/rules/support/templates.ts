import type { BlockNode, ChainNode, StepNode } from '../../../protocol/model.ts';
import type { ProposalTemplate } from '../../../protocol/schema.ts';
import type { RuleContext } from '../../rule.ts';

interface GatedStepNode {
  chain: ChainNode;
  step: StepNode;
  block: BlockNode;
  template: ProposalTemplate;
}

/** The steps that are gated by a proposal, in order. */
export function gatedSteps({ steps }: Pick<RuleContext, 'steps'>): readonly GatedStepNode[] {
  let found: GatedStepNode[] | undefined;
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
const NONE: readonly GatedStepNode[] = [];

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
  return gatedSteps(context).flatMap(({ chain, step, block, template }) => {
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
