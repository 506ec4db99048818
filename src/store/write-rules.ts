import { KairosError } from '../base/errors.ts';
import type { LedgerEntry, Seal } from '../ledger/entry.ts';
import type { VectorModel } from '../search/vectors.ts';

/**
 * Throws INTERNAL for entries that do not follow from one another and from the one before: a store never keeps such, since
 * that would look like tampering ever after.
 */
export function requireChained(
  runId: string,
  previous: Pick<LedgerEntry, 'seq' | 'hash'> | null,
  entries: readonly LedgerEntry[],
): void {
  let before = previous;
  for (const entry of entries) {
    const follows = before === null || entry.prev === before.hash;
    if (entry.run_id !== runId || entry.seq !== (before?.seq ?? -1) + 1 || !follows) {
      throw new KairosError(
        'INTERNAL',
        `entry ${entry.seq} does not follow entry ${before?.seq ?? 'none'} of run ${runId}`,
      );
    }
    before = entry;
  }
}

/** Throws INTERNAL for a seal that is over other entries than the run whose last entry is given. */
export function requireFitting(runId: string, last: Pick<LedgerEntry, 'seq' | 'hash'>, { seal }: Seal): void {
  if (seal.head === last.hash && seal.count === last.seq + 1) return;
  throw new KairosError('INTERNAL', `the seal does not fit run ${runId}`);
}

/** Throws INVALID_INPUT for a vector that cannot be compared with the others of its model. */
export function requireComparable(model: VectorModel, vector: Float32Array): void {
  if (vector.length !== model.dimensions) throw otherDimensions(model, vector.length);
  if (!vector.every(Number.isFinite)) {
    throw unusable(`a vector of ${model.model} has a number that is not finite`);
  }
}

/** A query or chain whose vector cannot be compared with the ones of its model. */
export function otherDimensions({ model, dimensions }: VectorModel, found: number): KairosError {
  return unusable(`vectors of ${model} have ${dimensions} dimensions, this one has ${found}`);
}

/** A model that the store doesn't know. */
export function noSuchModel(model: string): KairosError {
  return unusable(`there is no model ${model}`);
}

function unusable(reason: string): KairosError {
  return new KairosError('INVALID_INPUT', `the vector cannot be used: ${reason}`, {
    hint: 'Check the embedding provider and its model, then run kairos index again.',
  });
}
