import { KairosError } from '../../base/errors.ts';

/** A server that cannot be asked now, or not by us, with the remedy. */
export function unavailable(place: string, reason: string, hint: string): KairosError {
  return new KairosError('STORE_UNAVAILABLE', `the store ${place} ${reason}`, { hint });
}

/** A request that the server did not understand. */
export function refused(place: string, reason: string): KairosError {
  return new KairosError('INTERNAL', `the store ${place} refused a request: ${reason}`, {
    hint: 'This is a fault of kairos, or the collection was changed by another program.',
  });
}

/** A write through a store that was opened for reading. */
export function readOnlyStore(place: string): KairosError {
  return new KairosError('READ_ONLY', `the store ${place} was opened for reading only`, {
    hint: 'Leave out --read-only, or choose another store with --store.',
  });
}

/** Too many writers wrote the same point together. */
export function contended(place: string): KairosError {
  return unavailable(
    place,
    'is changed by others all the time: nothing was written',
    'Wait a moment and try again.',
  );
}
