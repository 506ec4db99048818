import { loadProofTools } from '../../proof/tools.ts';
import { validateSolution } from '../../proof/validate.ts';
import type { Ask } from './ask.ts';
import type { Driver } from './plan.ts';

/** An answer that the deterministic checks have let pass. */
export interface VerifyRequest {
  kind: 'user_input' | 'sampling';
  driver: Driver;
  system: string | null;
  prompt: string;
  outputSchema: Record<string, unknown> | null;
  answer: unknown;
}

/**
 * A second opinion, which may only refuse: null lets the answer go on. `refused` says why, in words that nobody here has
 * chosen: they go to the record and the log, and to no walker. Throwing is refusing, since an answer that should be looked at was not.
 */
export type Verify = (request: VerifyRequest) => Promise<{ refused: string } | null>;

export type SecondOpinion = { kind: 'passed' } | { kind: 'refused' | 'unavailable'; reason: string };

/** Asks for the second opinion; not about an answer that the run will refuse anyway. */
export async function secondOpinion(
  verify: Verify | undefined,
  ask: Ask,
  answer: unknown,
): Promise<SecondOpinion> {
  if (verify === undefined || !(await isValid(ask, answer))) return { kind: 'passed' };
  const { sampling, user_input: userInput } = ask.challenge;
  try {
    const verdict = await verify({
      kind: ask.asked,
      driver: ask.driver,
      system: sampling?.system ?? null,
      prompt: sampling?.prompt ?? userInput?.prompt ?? '',
      outputSchema: sampling?.output_schema ?? null,
      answer,
    });
    return verdict === null ? { kind: 'passed' } : { kind: 'refused', reason: verdict.refused };
  } catch (error) {
    return { kind: 'unavailable', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A user's answer has been read strictly already; a model's output is held to its schema. */
async function isValid({ challenge }: Ask, answer: unknown): Promise<boolean> {
  if (challenge.sampling === undefined) return true;
  const demand = { type: 'sampling', sampling: challenge.sampling, required: true } as const;
  const solution = { type: 'sampling', nonce: null, proof_hash: null, sampling: { result: answer } };
  const facts = { stepText: '', previousComment: null };
  return validateSolution(demand, solution, facts, await loadProofTools(demand)).ok;
}
