import type { Verify } from '../../host/verifier/openai-compatible.ts';
import { isValidSample } from '../../operations/check-answer.ts';
import type { StepQuestion } from './ask.ts';

export type { Verify, VerifyRequest } from '../../host/verifier/openai-compatible.ts';

export type SecondOpinion = { kind: 'passed' } | { kind: 'refused' | 'unavailable'; reason: string };

/** Asks for the second opinion; not about an answer that the run will refuse anyway. */
export async function secondOpinion(
  verify: Verify | undefined,
  ask: StepQuestion,
  answer: unknown,
): Promise<SecondOpinion> {
  if (verify === undefined) return { kind: 'passed' };
  const { sampling, user_input: userInput } = ask.challenge;
  // A user's answer was already read strictly; a model's output is checked against its schema.
  if (sampling !== undefined && !(await isValidSample(sampling, answer))) return { kind: 'passed' };
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
