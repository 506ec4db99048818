import { keptNumber } from '../../base/json.ts';

interface ParsedJson {
  value: unknown;
  hasDuplicates: boolean;
  /** The deepest nesting of objects and lists, without anything that a duplicate key replaced. */
  depth: number;
}

/**
 * The result of JSON.parse for a text (RFC 8259), and whether a key is a duplicate in its object, which
 * JSON.parse accepts. A number that would be read as another one becomes infinite, which no value of JSON is.
 * Undefined for text that isn't JSON.
 */
export function parseJson(text: string): ParsedJson | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (MAY_LOSE.test(text)) value = JSON.parse(withoutLost(text));
  const { keys, depth } = measure(value);
  return { value, hasDuplicates: countKeysWritten(text) !== keys, depth };
}

/** Digits or an exponent that a double may have no place for. Most texts have neither. */
const MAY_LOSE = /[\d.]{16}|[eE][-+]?\d{3}/;

/** Valid JSON in which numbers that cannot be kept are too large for a double. */
function withoutLost(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || keptNumber(token) !== null ? token : '1e999',
  );
}

/** Whether a key is a duplicate in its object: `value` is the result of JSON.parse for the text. */
export function hasDuplicateKeys(text: string, value: unknown): boolean {
  return countKeysWritten(text) !== measure(value).keys;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const LF = 10;
const BRACE = 123;
const BRACKET = 91;

/** Keys in a valid JSON text: strings that are followed by a colon. */
function countKeysWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at += 1;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
      at += code === BACKSLASH ? 2 : 1;
    }
    at += 1;
    let next = at;
    while (text.charCodeAt(next) <= 32) next += 1;
    if (text.charCodeAt(next) === COLON) count += 1;
  }
  return count;
}

/** The keys in a value, and its depth, without recursion: it may be nested as deeply as a document is long. */
function measure(root: unknown): { keys: number; depth: number } {
  let keys = 0;
  let depth = 0;
  for (let level = [root].filter(isContainer); level.length > 0; depth += 1) {
    const next: object[] = [];
    for (const container of level) {
      const items: unknown[] = Array.isArray(container) ? container : Object.values(container);
      if (items !== container) keys += items.length;
      for (const item of items) if (isContainer(item)) next.push(item);
    }
    level = next;
  }
  return { keys, depth };
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Where brackets are nested more than `limit` deep; -1 when they are not. The text need not be JSON. */
export function findTooDeep(text: string, limit: number): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at += 1;
      for (; at < text.length; at += 1) {
        const inside = text.charCodeAt(at);
        if (inside === QUOTE || inside === LF) break;
        if (inside === BACKSLASH) at += 1;
      }
    } else if (code === BRACE || code === BRACKET) {
      depth += 1;
      if (depth > limit) return at;
    } else if (code === BRACE + 2 || code === BRACKET + 2) depth -= 1;
  }
  return -1;
}

/** Deeper than any configuration, and far from where readers, which are recursive, come to the end of their stack. */
const MAX_CONFIG_DEPTH = 500;

/** Whether JSON with comments has more levels than are read. */
export function isTooDeep(text: string): boolean {
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g, (token) =>
    token[0] === '"' ? '""' : '',
  );
  return findTooDeep(bare, MAX_CONFIG_DEPTH) !== -1;
}
