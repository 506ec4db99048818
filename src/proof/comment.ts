import { segmentsOf } from '../base/escape.ts';
import { isJsonObject, own } from '../base/json.ts';
import { cleanText } from '../ledger/entry.ts';
import type { ProofOfWork } from '../protocol/schema.ts';
import { trivialityOf } from './triviality.ts';
import { type ProofFacts, type ProofTools, rejectProof, type Verdict } from './verdict.ts';

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
    return rejectProof('MISSING_FIELD', 'solution.comment is missing: it must be an object with text.');
  }
  const given = own(payload, 'text');
  if (typeof given !== 'string') {
    return rejectProof('MISSING_FIELD', 'solution.comment.text must be a string.');
  }
  const text = given.trim();
  const length = countGraphemes(text, demand.min_length);
  if (length < demand.min_length) {
    return rejectProof(
      'COMMENT_TOO_SHORT',
      `solution.comment.text has ${length} character${length === 1 ? '' : 's'}; at least ${demand.min_length} are needed.`,
    );
  }
  const triviality = trivialityOf(text, previousComment === null ? [stepText] : [stepText, previousComment]);
  if (triviality !== null) return rejectProof('COMMENT_TRIVIAL', TRIVIAL[triviality]);
  return { ok: true, proof: { text: cleanText(text) } };
}

let segmenter: Intl.Segmenter | undefined;

/**
 * Grapheme clusters of a text (UAX #29), counted up to `limit`. Clusters that show nothing (zero-width, control and
 * tag characters) do not count, and a run of white space counts once: padding makes no text longer.
 */
export function countGraphemes(text: string, limit: number): number {
  let count = 0;
  let afterSpace = false;
  let at = 0;
  // Between two visible characters of ASCII there is always a boundary, and most texts need no more than these.
  for (; isPlain(text, at) && isPlain(text, at + 1); at += 1) {
    const isSpace = text.charAt(at) === ' ';
    if (!(isSpace && afterSpace)) count += 1;
    if (count >= limit) return count;
    afterSpace = isSpace;
  }
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of segmentsOf(segmenter, text.slice(at))) {
    const isSpace = /^\s+$/u.test(segment);
    if (!isSpace && /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]+$/u.test(segment)) continue;
    if (!(isSpace && afterSpace)) count += 1;
    if (count >= limit) return count;
    afterSpace = isSpace;
  }
  return count;
}

/** Space to tilde. */
function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x20 && code <= 0x7e;
}
