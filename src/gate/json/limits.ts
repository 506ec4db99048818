/** How deep arrays and objects may nest. */
export const MAX_DEPTH = 32;
/** How many bytes of UTF-8 a proposal may have. */
export const MAX_BYTES = 256 * 1024;

/** What is wrong with a text or value before it can be read as a proposal. */
export const UNREADABLE = 'K-PROP-100';
export const DUPLICATE_KEY = 'K-PROP-101';
export const TOO_DEEP = 'K-PROP-102';
export const TOO_LARGE = 'K-PROP-103';
export const BAD_NUMBER = 'K-PROP-104';
export const BAD_TEXT = 'K-PROP-105';

export const READ_MESSAGES = {
  [UNREADABLE]: 'This is not JSON as RFC 8259 defines it.',
  [DUPLICATE_KEY]: 'The key occurs twice in one object.',
  [TOO_DEEP]: `Arrays and objects nest deeper than ${MAX_DEPTH}.`,
  [TOO_LARGE]: `The proposal is larger than ${MAX_BYTES} bytes.`,
  [BAD_NUMBER]:
    'The number cannot be kept exactly: it is too large, too small, has too many digits, or is not a number.',
  [BAD_TEXT]: 'The text or key contains a lone surrogate or DEL, or is the key "__proto__".',
} as const;
export type ReadCode = keyof typeof READ_MESSAGES;

/** A text that a ledger keeps unchanged: no DEL, no lone surrogate. */
export function isPlainText(text: string): boolean {
  return !/[\x7f\p{Cs}]/u.test(text);
}

/** A key that an object keeps unchanged. */
export function isPlainKey(key: string): boolean {
  return key !== '__proto__' && isPlainText(key);
}
