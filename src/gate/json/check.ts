import { isExact } from '../../base/json.ts';
import { pointerTo, type Violation } from '../violation.ts';

/**
 * Checks a value that was already parsed (a tool's argument) like `readJsonStrictly`. Duplicate keys of its
 * text are no longer visible. Never throws; reads no further than the limits.
 */
export function checkJsonValue(value: unknown): Violation[] {
  const found: Violation[] = [];
  const tell = (code: ReadCode, pointer: string) =>
    found.push({ code, pointer, message: READ_MESSAGES[code] });
  let bytes = 0;
  const visit = (item: unknown, pointer: string, depth: number): void => {
    if (bytes > MAX_PROPOSAL_BYTES) return;
    if (typeof item === 'string') {
      bytes += Buffer.byteLength(item);
      if (!isPlainText(item)) tell(BAD_TEXT, pointer);
    } else if (typeof item === 'number') {
      bytes += 1;
      if (!isExact(item)) tell(BAD_NUMBER, pointer);
    } else if (item !== null && typeof item === 'object') {
      bytes += 2;
      if (depth >= MAX_DEPTH) tell(TOO_DEEP, pointer);
      else if (Array.isArray(item))
        for (const [at, part] of item.entries()) visit(part, pointerTo(pointer, at), depth + 1);
      else {
        for (const [key, part] of Object.entries(item)) {
          bytes += Buffer.byteLength(key);
          if (!isPlainKey(key)) tell(BAD_TEXT, pointerTo(pointer, key));
          visit(part, pointerTo(pointer, key), depth + 1);
        }
      }
    } else if (item !== null && typeof item !== 'boolean') {
      tell(UNREADABLE, pointer);
    }
  };
  visit(value, '', 0);
  if (found.length === 0 && byteLength(value) > MAX_PROPOSAL_BYTES) tell(TOO_LARGE, '');
  return found;
}

/** Only of what was found to be JSON within the limits of depth. */
function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** How deep arrays and objects may nest. */
export const MAX_DEPTH = 32;
/** How many bytes of UTF-8 a proposal may have. */
export const MAX_PROPOSAL_BYTES = 256 * 1024;

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
  [TOO_LARGE]: `The proposal is larger than ${MAX_PROPOSAL_BYTES} bytes.`,
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
