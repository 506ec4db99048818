import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';
import { proposeStep } from './run/propose.ts';
import { type ProposeInput, type ProposeOutput, proposeInput } from './schemas.ts';

/** `kairos_propose`: submits a proposal for the pending gated step and returns the gate's decision. */
export async function propose(ctx: OperationContext, raw: ProposeInput): Promise<ProposeOutput> {
  const { uri, run_id: runId, proposal } = parseInput(proposeInput, raw);
  return proposeStep(ctx, { uri, runId, proposal });
}
