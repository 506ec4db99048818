/** The only values that a verifier may return. */
export type Verdict = { refused: string } | null;

/** Code points of a reason that are kept. */
const REASON_MAX = 500;

/** The response format for the model. */
export const VERDICT_SCHEMA = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['accept', 'refuse'] }, reason: { type: 'string' } },
  required: ['verdict', 'reason'],
  additionalProperties: false,
} as const;

/**
 * Reads a verdict strictly: a JSON object of exactly `verdict` and `reason`, with nothing around it. Null:
 * the text isn't a verdict, which doesn't count as acceptance.
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

/** Foreign text: one short line, without characters that could control the reader's display. */
function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const characters = [...line];
  if (characters.length === 0) return 'no reason given';
  return characters.length <= REASON_MAX ? line : `${characters.slice(0, REASON_MAX).join('')}…`;
}
