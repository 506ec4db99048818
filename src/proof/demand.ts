import type { Assurance, ProofOfWork, SamplingDefinition } from '../protocol/schema.ts';
import { ASSURANCES } from '../protocol/terms.ts';

/** A model's answer to a fixed prompt. Always required, because the rest of the step depends on it. */
export interface SamplingDemand {
  type: 'sampling';
  sampling: SamplingDefinition;
  required: boolean;
  assurance?: Assurance;
}

/** The demand of one station of a run: a proof of work as its author wrote it, or a model's answer. */
export type Demand = ProofOfWork | SamplingDemand;

/** What a challenge can ask for. */
export type ChallengeType = 'shell' | 'mcp' | 'user_input' | 'comment' | 'sampling' | 'proposal';

const DESCRIPTIONS: Record<ChallengeType, string> = {
  shell: 'Run the command and report what it really gave.',
  mcp: 'Call the tool and report what it really returned.',
  user_input: "Show the prompt, use only the user's reply.",
  comment: 'Write a genuine account in your own words.',
  sampling: 'Answer the prompt, following its system text.',
  proposal: 'Hand in a proposal; wait until it is allowed.',
};

/** The `description` of a challenge. Fixed text: the author's text is in the type's own object. */
export function describeChallenge(type: ChallengeType): string {
  return DESCRIPTIONS[type];
}

const LACKS: Record<string, string> = {
  COMMENT_TOO_SHORT: 'a longer text, of at least the min_length of the closing comment',
  COMMENT_TRIVIAL:
    'an account of what was done in your own words: no filler, no repetition, no copy of the step or of an earlier comment',
  MISSING_FIELD: 'every field of the closing comment, each of the right type',
  TYPE_MISMATCH: 'a solution of the type that the challenge names',
  NONCE_MISMATCH: "the nonce of THIS response's challenge, or no solution at all",
  PROOF_HASH_MISMATCH: "the proof_hash of THIS response's challenge, or no solution at all",
  ASSURANCE_TOO_LOW: 'a proof of the assurance that the challenge asks for',
};

const LACKS_BY_TYPE: Record<Demand['type'], string> = {
  shell: 'a run of the command that satisfies the challenge',
  mcp: 'a call of the tool that satisfies the challenge',
  user_input: "the user's own answer to the prompt",
  comment: 'a comment that satisfies the challenge',
  sampling: 'an answer to the prompt that satisfies the challenge',
};

/** What an attest call lacks, as fixed text after `--` in its `next_action`. */
export function whatLacks(code: string, demand: Pick<Demand, 'type'>): string {
  return LACKS[code] ?? LACKS_BY_TYPE[demand.type];
}

/** From the weakest to the strongest (SPEC 4). */
export const ASSURANCE_ORDER: readonly Assurance[] = ASSURANCES;

export type AssuranceCounts = Record<Assurance, number>;

/** Whether a proof of assurance `have` satisfies a demand for `need`. */
export function meets(have: Assurance, need: Assurance): boolean {
  return ASSURANCE_ORDER.indexOf(have) >= ASSURANCE_ORDER.indexOf(need);
}

/** How many proofs there are of each assurance. */
export function countAssurances(proofs: Iterable<{ assurance: Assurance }>): AssuranceCounts {
  const counts: AssuranceCounts = { observed: 0, attested: 0, client: 0, claimed: 0 };
  for (const { assurance } of proofs) counts[assurance] += 1;
  return counts;
}

/** A run that has proofs, and claims only: it is called self-reported (SPEC 4). */
export function claimsOnly(counts: Readonly<Record<string, number>>): boolean {
  return Object.entries(counts).every(([assurance, count]) => (assurance === 'claimed') === count > 0);
}

/** The weakest assurance of the proofs; `claimed` without any. */
export function weakestOf(counts: AssuranceCounts): Assurance {
  return ASSURANCE_ORDER.find((assurance) => counts[assurance] > 0) ?? 'claimed';
}
