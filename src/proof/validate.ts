import { validateComment } from './comment.ts';
import type { Demand } from './demand.ts';
import { validateMcp } from './mcp.ts';
import { validateSampling } from './sampling.ts';
import { validateShell } from './shell.ts';
import type { Solution } from './solution.ts';
import { validateUserInput } from './user-input.ts';
import { type ProofFacts, type ProofTools, rejectProof, type Verdict } from './verdict.ts';

export type { ProofFacts, ProofTools, Verdict } from './verdict.ts';

type Validator<T extends Demand['type']> = (
  demand: Extract<Demand, { type: T }>,
  payload: unknown,
  facts: ProofFacts,
  tools: ProofTools,
) => Verdict;

/** One validator for each type. A new one is a file and a line here. */
const VALIDATORS: { [T in Demand['type']]: Validator<T> } = {
  shell: validateShell,
  mcp: validateMcp,
  user_input: validateUserInput,
  comment: validateComment,
  sampling: validateSampling,
};

/**
 * Whether a solution satisfies a demand: its type first, then its payload (SPEC 3.4; nonce and proof_hash before and
 * assurance after are the run's business). Pure and total: same arguments, same verdict, never throws on any solution.
 */
export function validateSolution(
  demand: Demand,
  solution: Solution,
  facts: ProofFacts,
  tools: ProofTools,
): Verdict {
  if (solution.type === null) {
    return rejectProof('MISSING_FIELD', `solution.type is missing: it must be "${demand.type}".`);
  }
  if (solution.type !== demand.type) {
    return rejectProof('TYPE_MISMATCH', `solution.type must be "${demand.type}".`);
  }
  const validator = VALIDATORS[demand.type] as Validator<Demand['type']>;
  return validator(demand, solution[demand.type], facts, tools);
}
