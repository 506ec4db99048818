import { isObject, keptNumber } from '../../base/json.ts';
import type { Place } from '../model.ts';

/** Keys and indexes that lead to a value inside a step block. */
export type Path = readonly (string | number)[];

/** Finds where a value, or its key, is written. Falls back to what encloses it. */
export interface Locator {
  value(path: Path): Place;
  key(path: Path): Place;
}

/** A locator for a block that is written on one line. */
export function locateOnLine(place: Place): Locator {
  return { value: () => place, key: () => place };
}

/** The value at a path; undefined for a missing one. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) {
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** For example `outputs[0].path`. */
export function dotted(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** Values that JSON can write but that can't be kept unchanged. */
type ValueFault = 'surrogate' | 'nul' | 'number' | 'proto';

interface FaultyValue {
  fault: ValueFault;
  path: Path;
}

/** NUL, and half of a surrogate pair. */
const LOST = /[\0\p{Cs}]/u;

/**
 * The values in a block that would be lost or changed: integers past 2^53 − 1 and infinite numbers, text that
 * UTF-8 or a command line can't contain, and the key `__proto__`.
 */
export function faultyValues(root: unknown): FaultyValue[] {
  const found: FaultyValue[] = [];
  const pending: Placed[] = [{ value: root, key: null, around: null }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value } = next;
    const fault = faultOf(value);
    if (fault !== null) found.push({ fault, path: pathTo(next) });
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      const inner: Placed = { value: item, key: isList ? Number(key) : key, around: next };
      const keyFault = isList ? null : keyFaultOf(key);
      if (keyFault === null) pending.push(inner);
      else found.push({ fault: keyFault, path: pathTo(inner) });
    }
  }
  return found;
}

/** A value with its container, so that its path is computed only on request. */
interface Placed {
  value: unknown;
  key: string | number | null;
  around: Placed | null;
}

function pathTo(placed: Placed): Path {
  const path: (string | number)[] = [];
  for (let at: Placed | null = placed; at !== null; at = at.around) {
    if (at.key !== null) path.unshift(at.key);
  }
  return path;
}

function keyFaultOf(key: string): ValueFault | null {
  return key === '__proto__' ? 'proto' : textFault(key);
}

function faultOf(value: unknown): ValueFault | null {
  if (typeof value === 'string') return textFault(value);
  if (typeof value !== 'number') return null;
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? null : 'number';
}

function textFault(text: string): ValueFault | null {
  if (!LOST.test(text)) return null;
  return text.includes('\0') ? 'nul' : 'surrogate';
}

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
