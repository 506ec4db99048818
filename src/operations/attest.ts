import type { Assurance } from '../protocol/schema.ts';
import type { OperationContext } from './context.ts';
import { mergeSolution } from './deprecated.ts';
import { parseInput } from './input.ts';
import { attestRun } from './run/attest.ts';
import { type AttestInput, type AttestOutput, attestInput } from './schemas.ts';

/** `kairos_attest`: closes a run with an outcome and seals its ledger. */
export async function attest(
  ctx: OperationContext,
  raw: AttestInput,
  obtained: { assurance: Assurance } = { assurance: 'claimed' },
): Promise<AttestOutput> {
  const input = parseInput(attestInput, raw);
  return attestRun(ctx, {
    uri: input.uri,
    runId: input.run_id,
    outcome: input.outcome,
    message: input.message,
    ...mergeSolution(input),
    ...obtained,
    qualityBonus: input.quality_bonus,
    llmModelId: input.llm_model_id ?? null,
  });
}
