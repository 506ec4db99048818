/**
 * Whether `text`, which was parsed into `value`, is its RFC 8785 text. JSON.stringify writes numbers and escapes as
 * RFC 8785 does, and a repeated key or white space does not survive it; what is left to check is the order of keys
 * and that no lone surrogate is in it. Several times faster than writing the canonical text and comparing.
 */
export function isCanonical(text: string, value: unknown): boolean {
  return JSON.stringify(value) === text && !LONE_SURROGATE_ESCAPE.test(text) && hasSortedKeys(value);
}

/** JSON.stringify writes a lone surrogate as an escape, and of the range D800 to DFFF nothing else. */
const LONE_SURROGATE_ESCAPE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function hasSortedKeys(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(hasSortedKeys);
  let before = '';
  for (const [key, item] of Object.entries(value)) {
    if (key < before || !hasSortedKeys(item)) return false;
    before = key;
  }
  return true;
}
