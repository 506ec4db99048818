import { canonical } from '../base/canonical.ts';

/** Whether `text`, which was parsed into `value`, is its RFC 8785 text. */
export function isCanonical(text: string, value: unknown): boolean {
  return isPlainlyCanonical(text, value) || canonicalOrNull(value) === text;
}

/**
 * A faster check that is right for nearly every text. JSON.stringify writes numbers and escapes as RFC 8785
 * does, and removes repeated keys and white space. So only the order of keys and lone surrogates remain to be
 * checked. It rejects keys like "10", which JavaScript reorders.
 */
function isPlainlyCanonical(text: string, value: unknown): boolean {
  return JSON.stringify(value) === text && !LONE_SURROGATE_ESCAPE.test(text) && hasSortedKeys(value);
}

/** JSON.stringify writes a lone surrogate as an escape, and nothing else from D800 to DFFF. */
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

function canonicalOrNull(value: unknown): string | null {
  try {
    return canonical(value);
  } catch {
    return null;
  }
}
