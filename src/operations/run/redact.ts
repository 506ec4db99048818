/** What a solution may come wrapped in. */
const WRAPPERS = new Set(['solution', 'proof_of_work', 'proof_of_work_result']);

/**
 * Redacts every string inside a solution, keys included. The nonce and the hash to echo are no secrets of the host, in
 * the place where a solution has them; anything else of these names is a word like others.
 */
export function redactValue(value: unknown, redact: (text: string) => string, isSolution = true): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact, false));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redact(key),
      isSolution && typeof item === 'string' && (key === 'nonce' || key === 'proof_hash')
        ? item
        : redactValue(item, redact, isSolution && WRAPPERS.has(key)),
    ]),
  );
}
