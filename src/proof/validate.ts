import type { ProofOfWork, ProofType } from '../protocol/schema.ts';
import { validateComment } from './comment.ts';
import { validateMcp } from './mcp.ts';
import { validateShell } from './shell.ts';
import type { Solution } from './solution.ts';
import { validateUserInput } from './user-input.ts';
import { type ProofFacts, type ProofTools, refuse, type Verdict } from './verdict.ts';

export type { ProofFacts, ProofTools, Verdict } from './verdict.ts';

type Validator<T extends ProofType> = (
  demand: Extract<ProofOfWork, { type: T }>,
  payload: unknown,
  facts: ProofFacts,
  tools: ProofTools,
) => Verdict;

/** One validator for each proof type. A new type is a file and a line here. */
const VALIDATORS: { [T in ProofType]: Validator<T> } = {
  shell: validateShell,
  mcp: validateMcp,
  user_input: validateUserInput,
  comment: validateComment,
};

/**
 * Whether a solution satisfies a demand: its type first, then its payload (SPEC 3.4; nonce and proof_hash before and
 * assurance after are the run's business). Pure and total: same arguments, same verdict, never throws on any solution.
 */
export function validateSolution(
  demand: ProofOfWork,
  solution: Solution,
  facts: ProofFacts,
  tools: ProofTools,
): Verdict {
  if (solution.type === null) {
    return refuse('MISSING_FIELD', `solution.type is missing: it must be "${demand.type}".`);
  }
  if (solution.type !== demand.type) {
    return refuse('TYPE_MISMATCH', `solution.type must be "${demand.type}".`);
  }
  const validator = VALIDATORS[demand.type] as Validator<ProofType>;
  return validator(demand, solution[demand.type], facts, tools);
}
