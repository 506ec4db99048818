import type { Assurance } from '../protocol/schema.ts';
import type { WalkFields } from '../run/walk-fields.ts';
import type { OperationContext } from './context.ts';
import { mergeSolution } from './deprecated.ts';
import { parseInput } from './input.ts';
import { type NextCall, nextStep } from './run/next.ts';
import { type NextInput, nextInput } from './schemas.ts';

/** How the interface obtained a solution: its assurance, and what it did. */
export interface Obtained {
  assurance: Assurance;
  prelude?: NextCall['prelude'];
  failed?: NextCall['failed'];
}

/** `kairos_next`: checks the solution of the pending step and shows the next one. */
export async function next(
  ctx: OperationContext,
  raw: NextInput,
  obtained: Obtained = { assurance: 'claimed' },
): Promise<WalkFields> {
  const input = parseInput(nextInput, raw);
  return nextStep(ctx, { uri: input.uri, runId: input.run_id, ...mergeSolution(input), ...obtained });
}
