import type { Demand } from './demand.ts';

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
