import { isExact, keptNumber } from '../../base/json.ts';
import { pointerTo, type Violation } from '../violation.ts';

/** How deep arrays and objects may nest. */
const MAX_DEPTH = 32;
/** How many bytes of UTF-8 a proposal may have. */
export const MAX_PROPOSAL_BYTES = 256 * 1024;

/** What is wrong with a text or value before it can be read as a proposal. */
export const UNREADABLE = 'K-PROP-100';
const DUPLICATE_KEY = 'K-PROP-101';
const TOO_DEEP = 'K-PROP-102';
const TOO_LARGE = 'K-PROP-103';
const BAD_NUMBER = 'K-PROP-104';
const BAD_TEXT = 'K-PROP-105';

const READ_MESSAGES = {
  [UNREADABLE]: 'This is not JSON as RFC 8259 defines it.',
  [DUPLICATE_KEY]: 'The key occurs twice in one object.',
  [TOO_DEEP]: `Arrays and objects nest deeper than ${MAX_DEPTH}.`,
  [TOO_LARGE]: `The proposal is larger than ${MAX_PROPOSAL_BYTES} bytes.`,
  [BAD_NUMBER]:
    'The number cannot be kept exactly: it is too large, too small, has too many digits, or is not a number.',
  [BAD_TEXT]: 'The text or key contains a lone surrogate or DEL, or is the key "__proto__".',
} as const;
type ReadCode = keyof typeof READ_MESSAGES;

export interface StrictReading {
  /** Undefined for a text that isn't JSON. */
  value: unknown;
  violations: Violation[];
}

/**
 * Reads JSON (RFC 8259) strictly: everything that other readers silently repair, round or overwrite is a
 * violation with its place. Duplicate keys, inexact numbers, unwritable texts and deep nesting are all
 * reported; a syntax error ends the reading. Never throws.
 */
export function readJsonStrictly(text: string, maxBytes = MAX_PROPOSAL_BYTES): StrictReading {
  if (Buffer.byteLength(text) > maxBytes) return { value: undefined, violations: [found(TOO_LARGE, '')] };
  const reader = new Reader(text);
  try {
    const value = reader.document();
    return { value, violations: reader.violations };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { value: undefined, violations: [...reader.violations, found(error.code, error.pointer)] };
  }
}

class Unreadable extends Error {
  readonly code: ReadCode;
  readonly pointer: string;

  constructor(code: ReadCode, pointer: string) {
    super(code);
    this.code = code;
    this.pointer = pointer;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** One string literal. JSON.parse, which accepts exactly these, decodes the escapes. */
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Reader {
  readonly violations: Violation[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value('', 0);
    this.#take(SPACE);
    if (this.#at < this.#text.length) throw new Unreadable(UNREADABLE, '');
    return value;
  }

  #value(pointer: string, depth: number): unknown {
    this.#take(SPACE);
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') {
      if (depth >= MAX_DEPTH) throw new Unreadable(TOO_DEEP, pointer);
      this.#at += 1;
      return first === '{' ? this.#object(pointer, depth + 1) : this.#array(pointer, depth + 1);
    }
    if (first === '"') return this.#string(pointer);
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number(pointer);
  }

  #object(pointer: string, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    if (this.#skip('}')) return object;
    do {
      this.#take(SPACE);
      const key = this.#literal(pointer);
      const place = pointerTo(pointer, key);
      if (!this.#skip(':')) throw new Unreadable(UNREADABLE, place);
      const value = this.#value(place, depth);
      if (!isPlainKey(key)) this.violations.push(found(BAD_TEXT, place));
      else if (Object.hasOwn(object, key)) this.violations.push(found(DUPLICATE_KEY, place));
      else object[key] = value;
    } while (this.#skip(','));
    if (!this.#skip('}')) throw new Unreadable(UNREADABLE, pointer);
    return object;
  }

  #array(pointer: string, depth: number): unknown[] {
    const array: unknown[] = [];
    if (this.#skip(']')) return array;
    do array.push(this.#value(pointerTo(pointer, array.length), depth));
    while (this.#skip(','));
    if (!this.#skip(']')) throw new Unreadable(UNREADABLE, pointer);
    return array;
  }

  #string(pointer: string): string {
    const text = this.#literal(pointer);
    if (!isPlainText(text)) this.violations.push(found(BAD_TEXT, pointer));
    return text;
  }

  #literal(pointer: string): string {
    const literal = this.#take(STRING);
    if (literal === null) throw new Unreadable(UNREADABLE, pointer);
    return JSON.parse(literal) as string;
  }

  #number(pointer: string): number {
    const literal = this.#take(NUMBER);
    if (literal === null) throw new Unreadable(UNREADABLE, pointer);
    const value = keptNumber(literal);
    if (value === null) this.violations.push(found(BAD_NUMBER, pointer));
    return value ?? Number.NaN;
  }

  #skip(sign: string): boolean {
    this.#take(SPACE);
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return null;
    this.#at = pattern.lastIndex;
    return match[0];
  }
}

const WORDS: [word: string, value: unknown][] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

function found(code: ReadCode, pointer: string): Violation {
  return { code, pointer, message: READ_MESSAGES[code] };
}

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

/** A text that a ledger keeps unchanged: no DEL, no lone surrogate. */
function isPlainText(text: string): boolean {
  return !/[\x7f\p{Cs}]/u.test(text);
}

/** A key that an object keeps unchanged. */
function isPlainKey(key: string): boolean {
  return key !== '__proto__' && isPlainText(key);
}
