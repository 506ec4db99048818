import { KairosError } from '../../base/errors.ts';

/** A provider that gave no vectors, for a reason and with a remedy. */
export function embeddingFailed(name: string, reason: string, hint: string, cause?: unknown): KairosError {
  return new KairosError('EMBEDDING_FAILED', `the embedding provider ${name} ${reason}`, { hint, cause });
}
