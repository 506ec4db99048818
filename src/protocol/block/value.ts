import { isObject } from '../../base/json.ts';
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
