/** What a verifier may say, and nothing else. */
export type Verdict = { refused: string } | null;

/** Code points of a reason that are kept. */
const REASON_MAX = 500;

/** The form that the model is asked to answer in. */
export const VERDICT_SCHEMA = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['accept', 'refuse'] }, reason: { type: 'string' } },
  required: ['verdict', 'reason'],
  additionalProperties: false,
} as const;

/**
 * Reads a verdict, strictly: a JSON object of exactly `verdict` and `reason`, nothing around it. Null: the text is no
 * verdict, which is not the same as one that accepts.
 */
export function readVerdict(text: string): { verdict: Verdict } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  if (Object.keys(value).sort().join() !== 'reason,verdict') return null;
  const { verdict, reason } = value as { verdict: unknown; reason: unknown };
  if (typeof reason !== 'string') return null;
  if (verdict === 'accept') return { verdict: null };
  return verdict === 'refuse' ? { verdict: { refused: plain(reason) } } : null;
}

/** Foreign words: one line, no more than a reader needs, nothing in them that steers what shows them. */
function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const characters = [...line];
  if (characters.length === 0) return 'no reason given';
  return characters.length <= REASON_MAX ? line : `${characters.slice(0, REASON_MAX).join('')}…`;
}
