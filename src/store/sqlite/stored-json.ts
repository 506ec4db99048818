import { KairosError } from '../../base/errors.ts';
import { memoize } from '../../base/remember.ts';

/** UTF-16 units of the last reads to keep: a run reads all its entries at every step. */
const KEPT_LENGTH = 2 ** 18;

const parse = memoize((text) => deepFreeze(JSON.parse(text)), KEPT_LENGTH);

/**
 * Reads JSON that this store wrote itself; the same text gives the same frozen value, unless something else is to `read` it.
 * Throws STORE_DAMAGED when something else has been put in its place.
 */
export function readStored<T>(text: string, what: string, read: (text: string) => unknown = parse): T {
  try {
    return read(text) as T;
  } catch (cause) {
    throw new KairosError(
      'STORE_DAMAGED',
      `${what} has been changed in the store: it is not readable any more`,
      {
        hint: 'Restore the store from a backup; its other content can still be exported and verified.',
        cause,
      },
    );
  }
}

/** Writes a value as JSON; one that is frozen all the way down is not parsed again while its text is read back. */
export function writeStored(value: object): string {
  const text = JSON.stringify(value);
  if (Object.isFrozen(value)) parse.keep(text, value);
  return text;
}

function deepFreeze(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}
