import { KairosError } from '../../base/errors.ts';

/** Reads JSON that this store wrote itself. Throws STORE_DAMAGED when something else has been put in its place. */
export function readStored<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new KairosError(
      'STORE_DAMAGED',
      `${what} has been changed in the store: it is not readable any more`,
      {
        hint: 'Restore the store from a copy; what else it holds can still be exported and verified.',
        cause,
      },
    );
  }
}
