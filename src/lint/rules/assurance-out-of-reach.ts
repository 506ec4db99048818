import type { Assurance, StepBlock } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const assuranceOutOfReach: LintRule = {
  id: 'assurance-out-of-reach',
  family: 'proof',
  severity: 'error',
  summary: 'A proof can have the assurance that is demanded of it.',
  why: 'kairos can observe only a command or a tool call, and only what a proposal shows to an approver can be signed. A higher demand rejects every solution, so the step can never be passed.',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.assurance === undefined) continue;
      const reason = outOfReach(proof, proof.assurance, block.value.proposal !== undefined);
      if (reason === null) continue;
      context.report({ place: nearestPlace(context, block, ['proof_of_work', 'assurance']), reason });
    }
  },
};

const NAMES = { user_input: 'An answer', comment: 'A comment' };

function outOfReach(
  { type }: NonNullable<StepBlock['proof_of_work']>,
  assurance: Assurance,
  hasProposal: boolean,
): string | null {
  if (assurance === 'attested' && !hasProposal)
    return 'Only what a proposal asks an approver for can be "attested": no solution of this step would be accepted. Add a proposal, or lower the assurance to "observed".';
  if (assurance !== 'observed' || (type !== 'user_input' && type !== 'comment')) return null;
  return `${NAMES[type]} is at best "client", never "observed": no solution of this step would be accepted. Lower the assurance, or let a command be the proof.`;
}
