import { KairosError } from '../../base/errors.ts';
import type { VectorModel } from '../vectors.ts';

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

/** A provider that gave no vectors, for a reason and with a remedy. */
export function embeddingFailed(name: string, reason: string, hint: string, cause?: unknown): KairosError {
  return new KairosError('EMBEDDING_FAILED', `the embedding provider ${name} ${reason}`, { hint, cause });
}

/**
 * Loads a package that kairos doesn't include. It is looked up where kairos is installed, never in the
 * working directory. Throws EMBEDDING_FAILED with the install command for a missing package.
 */
export async function importOptional<T>(provider: string, name: string, together: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    if (cause instanceof KairosError) throw cause;
    const missing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw embeddingFailed(
      provider,
      missing ? `needs the package ${name}, which is not installed` : `cannot load the package ${name}`,
      `Install it next to kairos: npm install ${together} (with -g for a global kairos).`,
      cause,
    );
  }
}

/** Model families that were trained with words before the text, by a part of their name (from their model cards). */
const FAMILIES: readonly [RegExp, Record<EmbeddingKind, string>][] = [
  [/nomic-embed/i, { query: 'search_query: ', document: 'search_document: ' }],
  [/\be5\b|[/_-]e5[-_]/i, { query: 'query: ', document: 'passage: ' }],
  [
    /bge-(?:small|base|large)-en|snowflake-arctic-embed|mxbai-embed/i,
    { query: 'Represent this sentence for searching relevant passages: ', document: '' },
  ],
];

/** A text in a model's form: for some models, its first words mark it as a query or a document. */
export function prefixed(model: string, text: string, kind: EmbeddingKind): string {
  const family = FAMILIES.find(([name]) => name.test(model));
  return family === undefined ? text : family[1][kind] + text;
}

/** The kind of a text. Some models return different vectors for documents and queries. */
export type EmbeddingKind = 'document' | 'query';

/** Makes vectors of texts. All of one embedder have the same number of dimensions and can be compared. */
export interface Embedder {
  /** Provider and model, for example `openai-compatible:nomic-embed-text`. */
  name: string;
  /** The best number of texts for one call. */
  batchSize: number;
  /**
   * Set when embedding needs microseconds and can't fail, so that vectors are made when a chain is minted. Contains the
   * meaning of the cosines, so that they need no calibration.
   */
  instant?: Pick<VectorModel, 'dimensions' | 'floor' | 'ceiling'>;
  /**
   * One vector for each text, in order; of zeros where the model can make nothing of the text. Throws KairosError
   * EMBEDDING_FAILED when the provider is missing, down, too slow or answers something else; with the signal's reason
   * when that ends it.
   */
  embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<Float32Array[]>;
}

export const EMBEDDING_PROVIDERS = [
  'static',
  'none',
  'openai-compatible',
  'transformers',
  'energetic',
] as const;
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number];

/** Which provider to ask, from the user's settings and the environment. */
export interface EmbeddingSettings {
  provider: EmbeddingProvider;
  /** The provider's name of the model, or for `transformers` the path of a folder with one; null is its default. */
  model: string | null;
  /** Where an OpenAI-compatible server answers, up to `/v1`. */
  url: string | null;
  apiKey: string | null;
}

/** Finds who can make vectors that are comparable with those of a model. */
export interface Embedders {
  /** The configured one; null when none is. */
  configured(): Promise<Embedder | null>;
  /** The one for a model that is in use in a store, configured or not; null when the settings cannot reach it. */
  named(name: string): Promise<Embedder | null>;
}
