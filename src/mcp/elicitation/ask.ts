import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { Challenge } from '../../run/walk-fields.ts';
import { formFor } from './elicitation.ts';
import type { Asked, Driver } from './plan.ts';
import { type SamplingParams, samplingForStep, samplingForUser } from './sampling.ts';

/** One question to the client: what it is about, and what hangs on the answer. */
export interface Ask {
  asked: Asked;
  driver: Driver;
  /** Who is tried if this comes to nothing. */
  rest: readonly Driver[];
  runId: string;
  /** Of the step that is asked about. */
  uri: string;
  /** The challenge that the answer is bound to: its nonce ties it to run, step and place in the step. */
  challenge: Challenge;
  /** The client may be asked to run the model without the user's approval. */
  auto: boolean;
  /** Questions that this call has had answered before. */
  before: number;
  /** Milliseconds since the epoch. */
  askedAt: number;
  /** Hash of the proof that the call stored before it came to ask; null: none. */
  proofHash: string | null;
  /** The message about that. */
  note: string | null;
}

/** The request that asks, in the words of MCP; its shape is the same in both eras. */
export type AskRequest =
  | { method: 'elicitation/create'; params: ElicitRequestFormParams }
  | { method: 'sampling/createMessage'; params: SamplingParams };

/** The request for a question. Throws when the challenge is not of the type that is asked about. */
export function requestFor({ asked, driver, challenge, auto }: Ask): AskRequest {
  const { sampling, user_input: userInput } = challenge;
  if (asked === 'sampling' && sampling !== undefined) {
    return { method: 'sampling/createMessage', params: samplingForStep(sampling, { auto }) };
  }
  if (userInput === undefined) throw new Error(`a challenge of type ${challenge.type} cannot be asked about`);
  return driver === 'elicitation'
    ? { method: 'elicitation/create', params: formFor(userInput) }
    : { method: 'sampling/createMessage', params: samplingForUser(userInput) };
}
