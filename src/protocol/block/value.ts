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

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
