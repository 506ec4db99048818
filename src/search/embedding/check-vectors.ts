import { embeddingFailed } from './failed.ts';

/**
 * The vectors that a provider gave for `count` texts, as 32-bit floats. Throws EMBEDDING_FAILED when there are more or
 * fewer, when they differ in length, or when something in them is not a finite number.
 */
export function checkVectors(name: string, found: unknown, count: number): Float32Array[] {
  if (!Array.isArray(found) || found.length !== count) {
    const given = Array.isArray(found) ? String(found.length) : 'no';
    throw embeddingFailed(name, `gave ${given} vectors for ${count} texts`, HINT);
  }
  const dimensions = lengthOf(found[0]);
  return found.map((vector: unknown) => {
    if (lengthOf(vector) !== dimensions || dimensions === 0) {
      throw embeddingFailed(name, 'gave vectors of different or no dimensions', HINT);
    }
    const values = Float32Array.from(vector as ArrayLike<number>);
    if (!values.every(Number.isFinite)) {
      throw embeddingFailed(name, 'gave a vector with something that is not a number', HINT);
    }
    return values;
  });
}

const HINT = 'Check that the configured model makes embeddings.';

function lengthOf(vector: unknown): number {
  return Array.isArray(vector) || vector instanceof Float32Array ? vector.length : 0;
}
