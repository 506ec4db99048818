import type { VectorModel } from '../vectors.ts';

/** What a text is: some models want to be told, and answer other vectors. */
export type EmbeddingKind = 'document' | 'query';

/** Makes vectors of texts. All of one embedder have the same number of dimensions and can be compared. */
export interface Embedder {
  /** Provider and model, for example `openai-compatible:nomic-embed-text`. */
  name: string;
  /** How many texts are best given at once. */
  batchSize: number;
  /**
   * Set where a text takes microseconds and nothing can fail: vectors are then made when a chain is minted. Tells what
   * the cosines mean, so that nothing needs to be measured.
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
