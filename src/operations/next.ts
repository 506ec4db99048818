import type { Assurance } from '../protocol/schema.ts';
import type { WalkFields } from '../run/walk-fields.ts';
import type { OperationContext } from './context.ts';
import { mergeSolution } from './deprecated.ts';
import { parseInput } from './input.ts';
import { type NextCall, nextStep } from './run/next.ts';
import { type NextInput, nextInput } from './schemas.ts';

/** How the face came by a solution: what it is worth, and what it did for it. */
export interface Obtained {
  assurance: Assurance;
  prelude?: NextCall['prelude'];
  failed?: NextCall['failed'];
}

/** `kairos_next`: takes the solution of the pending step and shows what comes then. */
export async function next(
  ctx: OperationContext,
  raw: NextInput,
  obtained: Obtained = { assurance: 'claimed' },
): Promise<WalkFields> {
  const input = parseInput(nextInput, raw);
  return nextStep(ctx, { uri: input.uri, runId: input.run_id, ...mergeSolution(input), ...obtained });
}
