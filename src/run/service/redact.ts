/** Redacts every string inside a JSON value, keys included. The nonce and the hash to echo are no secrets of the host. */
export function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redact(key),
      key === 'nonce' || key === 'proof_hash' ? item : redactValue(item, redact),
    ]),
  );
}
