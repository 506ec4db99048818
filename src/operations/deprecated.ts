import { KairosError } from '../base/errors.ts';
import { isTooDeep, MAX_SOLUTION_DEPTH } from '../proof/solution.ts';

/** Messages for deprecated names. STABILITY.md has the date of their removal. */
export const DEPRECATED = {
  beginQuery: 'Deprecated: kairos_begin with query is now kairos_search.',
  proofOfWork: 'Deprecated: proof_of_work is now solution.',
  proofOfWorkResult: 'Deprecated: proof_of_work_result is now solution.',
} as const;

/**
 * The solution under any of its names, with a deprecation line for an old name. Throws INVALID_INPUT if it is
 * nested too deeply to be read, redacted or recorded.
 */
export function mergeSolution(input: SolutionInput): { solution: unknown; notes: string[] } {
  const merged = underAnyName(input);
  if (isTooDeep(merged.solution)) {
    throw new KairosError('INVALID_INPUT', `the solution is nested deeper than ${MAX_SOLUTION_DEPTH}`, {
      hint: 'Submit the object that the challenge asks for.',
    });
  }
  return merged;
}

interface SolutionInput {
  solution?: unknown;
  proof_of_work?: unknown;
  proof_of_work_result?: unknown;
}

function underAnyName(input: SolutionInput): { solution: unknown; notes: string[] } {
  if (input.solution !== undefined) return { solution: input.solution, notes: [] };
  if (input.proof_of_work !== undefined) {
    return { solution: input.proof_of_work, notes: [DEPRECATED.proofOfWork] };
  }
  if (input.proof_of_work_result !== undefined) {
    return { solution: input.proof_of_work_result, notes: [DEPRECATED.proofOfWorkResult] };
  }
  return { solution: undefined, notes: [] };
}
