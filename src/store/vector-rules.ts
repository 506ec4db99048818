import { KairosError } from '../base/errors.ts';
import type { VectorModel } from '../search/vectors.ts';

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
