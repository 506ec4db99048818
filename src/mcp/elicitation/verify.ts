import type { Verify } from '../../host/verifier/openai-compatible.ts';
import { loadProofTools } from '../../proof/tools.ts';
import { validateSolution } from '../../proof/validate.ts';
import type { ClientQuestion } from './ask.ts';

export type { Verify, VerifyRequest } from '../../host/verifier/openai-compatible.ts';

export type SecondOpinion = { kind: 'passed' } | { kind: 'refused' | 'unavailable'; reason: string };

/** Asks for the second opinion; not about an answer that the run will refuse anyway. */
export async function secondOpinion(
  verify: Verify | undefined,
  ask: ClientQuestion,
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

/** A user's answer was already read strictly; a model's output is checked against its schema. */
async function isValid({ challenge }: ClientQuestion, answer: unknown): Promise<boolean> {
  if (challenge.sampling === undefined) return true;
  const demand = { type: 'sampling', sampling: challenge.sampling, required: true } as const;
  const solution = { type: 'sampling', nonce: null, proof_hash: null, sampling: { result: answer } };
  const facts = { stepText: '', previousComment: null };
  return validateSolution(demand, solution, facts, await loadProofTools(demand)).ok;
}
