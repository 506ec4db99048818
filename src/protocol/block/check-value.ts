import type { Path } from './value.ts';

/** What JSON can write but nobody downstream can keep as written. */
export type ValueFault = 'surrogate' | 'nul' | 'number' | 'proto';

export interface FaultyValue {
  fault: ValueFault;
  path: Path;
}

const LONE_SURROGATE = /\p{Cs}/u;

/**
 * The values in a block that would be lost or changed on their way: integers past 2^53 − 1 and numbers past all bounds,
 * text that UTF-8 or a command line cannot hold, and the key `__proto__`.
 */
export function faultyValues(root: unknown): FaultyValue[] {
  const found: FaultyValue[] = [];
  const pending: { value: unknown; path: Path }[] = [{ value: root, path: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path } = next;
    const fault = faultOf(value);
    if (fault !== null) found.push({ fault, path });
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) pending.push({ value: item, path: [...path, index] });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const inner = [...path, key];
        const keyFault = key === '__proto__' ? 'proto' : textFault(key);
        if (keyFault === null) pending.push({ value: item, path: inner });
        else found.push({ fault: keyFault, path: inner });
      }
    }
  }
  return found;
}

function faultOf(value: unknown): ValueFault | null {
  if (typeof value === 'string') return textFault(value);
  if (typeof value !== 'number') return null;
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? null : 'number';
}

function textFault(text: string): ValueFault | null {
  if (text.includes('\0')) return 'nul';
  return LONE_SURROGATE.test(text) ? 'surrogate' : null;
}
