import { mergeSolution } from '../../operations/deprecated.ts';
import type { NextInput } from '../../operations/schemas.ts';
import { isJsonObject, own } from '../../proof/json-equal.ts';
import { isPlaceholder, readSolution } from '../../proof/solution.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import type { Asked } from './plan.ts';

type Given = Pick<NextInput, 'solution' | 'proof_of_work' | 'proof_of_work_result'>;

/** Whether a call leaves it to the server to ask the user: `{type: "user_input"}` without an answer. */
export function asksForUser(input: Given): boolean {
  return isPlaceholder(readSolution(mergeSolution(input).solution).solution);
}

/** A call with `{type: "sampling"}` but no result means the same as no solution. */
export function withoutEmptySampling(input: NextInput): NextInput {
  const { solution } = readSolution(mergeSolution(input).solution);
  const payload = solution.sampling ?? {};
  const empty = solution.type === 'sampling' && isJsonObject(payload) && own(payload, 'result') === undefined;
  if (!empty) return input;
  const { solution: _, proof_of_work: __, proof_of_work_result: ___, ...rest } = input;
  return rest;
}

/**
 * What a run's result leaves for the server to ask: a sampling step that was reached without a solution, or
 * the user if the call asked for that. Null: nothing, or another fault comes first.
 */
export function questionIn(
  { challenge, error_code: code, run_id: runId, current_step: step }: WalkFields,
  { forUser }: { forUser: boolean },
): Asked | null {
  if (!challenge || !runId || !step) return null;
  const clear = (code ?? null) === null;
  if (challenge.type === 'sampling') return clear || code === 'MISSING_PROOF' ? 'sampling' : null;
  return challenge.type === 'user_input' && forUser && clear ? 'user_input' : null;
}
