import { loadTools } from '../../proof/tools.ts';
import type { Ask } from './ask.ts';
import { readElicitation } from './elicitation.ts';
import type { Outcome } from './plan.ts';
import type { Reply } from './push.ts';
import { readSampledConfirmation, readSampledOutput } from './sampling.ts';

/** What a client's reply means for the question. */
export async function readReply({ asked, driver, challenge }: Ask, reply: Reply): Promise<Outcome> {
  if (reply.kind !== 'result') return { kind: reply.kind };
  const { result } = reply;
  const { user_input: userInput } = challenge;
  if (asked === 'sampling' || userInput === undefined) return readSampledOutput(result);
  const { patterns } = await loadTools({ patterns: userInput.pattern !== undefined, schemas: false });
  return driver === 'elicitation'
    ? readElicitation(userInput, result, patterns)
    : readSampledConfirmation(userInput, result, patterns);
}
