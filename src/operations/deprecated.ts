/** What is told when an older name is used. Until when they live stands in STABILITY.md. */
export const DEPRECATED = {
  beginQuery: 'Deprecated: kairos_begin with query is now kairos_search.',
  proofOfWork: 'Deprecated: proof_of_work is now solution.',
  proofOfWorkResult: 'Deprecated: proof_of_work_result is now solution.',
} as const;

/** The solution under whichever name it came, with the deprecation lines that this earns. */
export function mergeSolution(input: {
  solution?: unknown;
  proof_of_work?: unknown;
  proof_of_work_result?: unknown;
}): { solution: unknown; notes: string[] } {
  if (input.solution !== undefined) return { solution: input.solution, notes: [] };
  if (input.proof_of_work !== undefined) {
    return { solution: input.proof_of_work, notes: [DEPRECATED.proofOfWork] };
  }
  if (input.proof_of_work_result !== undefined) {
    return { solution: input.proof_of_work_result, notes: [DEPRECATED.proofOfWorkResult] };
  }
  return { solution: undefined, notes: [] };
}
