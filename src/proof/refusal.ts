/** The user's refusal as clients and drivers report it: always a refusal. */
const REFUSED = new Set(['rejected', 'declined', 'cancelled', 'canceled', 'refused', 'denied']);
/** The same as a verb. An author may declare one of these as a choice ("keep" or "cancel"); then it is an answer. */
const REFUSES = new Set(['reject', 'decline', 'cancel', 'refuse', 'deny']);

/**
 * Whether an answer means that the user declined (SPEC 1: `rejected`, decline or cancel). The whole answer
 * must be the word; case, width, white space and punctuation around it are ignored. A sentence about refusing
 * is an answer.
 */
export function isRefusal(answer: string, isDeclaredChoice: boolean): boolean {
  if (answer.length > MAX_LENGTH) return false;
  const word = answer
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[\p{P}\p{S}\p{Z}\p{C}]+|[\p{P}\p{S}\p{Z}\p{C}]+$/gu, '');
  return REFUSED.has(word) || (!isDeclaredChoice && REFUSES.has(word));
}

/** Far more than a word and its punctuation; a longer answer is a sentence. */
const MAX_LENGTH = 64;
