import { cleanText } from '../ledger/entry.ts';
import type { ProofOfWork } from '../protocol/schema.ts';
import { countGraphemes } from './graphemes.ts';
import { isJsonObject, own } from './json-equal.ts';
import { trivialityOf } from './triviality.ts';
import { type ProofFacts, type ProofTools, refuse, type Verdict } from './verdict.ts';

type CommentDemand = Extract<ProofOfWork, { type: 'comment' }>;

const TRIVIAL = {
  wordless: 'solution.comment.text has no words. Describe what was done and what the result is.',
  repetition:
    'solution.comment.text repeats itself. Describe once, in your own words, what was done and what the result is.',
  filler: 'solution.comment.text only states that it is done. Describe what was done and what the result is.',
  copy: 'solution.comment.text copies the step or an earlier comment. Describe in your own words what was done and what the result is.',
} as const;

/** An account in words: long enough, then meaningful. Kept: `text`. */
export function validateComment(
  { comment: demand }: CommentDemand,
  payload: unknown,
  { stepText, previousComment }: ProofFacts,
  _tools: ProofTools,
): Verdict {
  if (!isJsonObject(payload)) {
    return refuse('MISSING_FIELD', 'solution.comment is missing: it must be an object with text.');
  }
  const given = own(payload, 'text');
  if (typeof given !== 'string') {
    return refuse('MISSING_FIELD', 'solution.comment.text must be a string.');
  }
  const text = given.trim();
  const length = countGraphemes(text, demand.min_length);
  if (length < demand.min_length) {
    return refuse(
      'COMMENT_TOO_SHORT',
      `solution.comment.text has ${length} character${length === 1 ? '' : 's'}; at least ${demand.min_length} are needed.`,
    );
  }
  const triviality = trivialityOf(text, previousComment === null ? [stepText] : [stepText, previousComment]);
  if (triviality !== null) return refuse('COMMENT_TRIVIAL', TRIVIAL[triviality]);
  return { ok: true, proof: { text: cleanText(text) } };
}
