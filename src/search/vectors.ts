import type { ChainContent } from '../protocol/model.ts';

/** One way of making vectors. Vectors of two models cannot be compared. */
export interface VectorModel {
  /** Names provider, model and the form of the embedded text, for example `transformers:all-MiniLM-L6-v2#1`. */
  model: string;
  dimensions: number;
  /** Cosine up to which two texts have nothing to do with each other for this model. */
  floor: number;
  /** Cosine from which two texts are equal for this model. Greater than `floor`. */
  ceiling: number;
}

export interface VectorModelState extends VectorModel {
  /** Search compares with the vectors of this one; true for one model at most. */
  inUse: boolean;
  /** How many live chains have vectors. */
  vectors: number;
}

/** What a query means to a model. */
export interface QueryVectors {
  model: VectorModel;
  /**
   * Those of each phrasing that `parseQuery` finds in the query, in its order: of all of it, then of each passage (see
   * `passagesOf`); of any length but zero.
   */
  phrasings: Float32Array[][];
}

/** A live chain whose head has no vectors yet. */
export interface ChainToEmbed {
  chainId: string;
  digest: string;
  content: ChainContent;
}

export interface ChainVector {
  chainId: string;
  /** The head that the vectors were made of. */
  digest: string;
  /** Of each text that `embeddingTexts` gives, in its order; at least one. */
  vectors: Float32Array[];
}

/**
 * Vectors of the heads of live chains, separate for each model, so that a new model's vectors can be made
 * while another's are in use. They can all be recomputed: losing them costs time, never a result. A new head
 * or a deletion removes a chain's vectors.
 */
export interface VectorStore {
  /** Every model that was added, by name. */
  vectorModels(): Promise<VectorModelState[]>;
  /** The model of searches; null without one. */
  vectorModelInUse(): Promise<VectorModel | null>;
  /**
   * Adds a model without vectors; for an existing one, updates floor and ceiling. Throws INVALID_INPUT if it
   * exists with another number of dimensions.
   */
  addVectorModel(model: VectorModel): Promise<void>;
  /** Lets search compare with this model only, or (null) with none. False when the model is unknown. */
  useVectorModel(model: string | null): Promise<boolean>;
  /** Forgets a model and its vectors. False when it is unknown. */
  dropVectorModel(model: string): Promise<boolean>;
  /** Live chains without a vector of the model, by chain id from after `after` on, `limit` at most. */
  chainsWithoutVector(model: string, limit: number, after?: string): Promise<ChainToEmbed[]>;
  /**
   * Keeps vectors, scaled to length 1. A vector of an older head is skipped silently: the chain still counts
   * as without one. Returns how many were kept. Throws INVALID_INPUT for an unknown model, another number of
   * dimensions, or a number that is not finite.
   */
  putVectors(model: string, vectors: ChainVector[]): Promise<number>;
}
