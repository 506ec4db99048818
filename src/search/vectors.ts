import type { ChainContent } from '../protocol/model.ts';
import { triggerPhrases } from './document.ts';
import { parseQuery } from './words.ts';

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
   * Those of each group of texts that `queryTexts` makes of the query, in its order; of any length but zero.
   */
  stretches: Float32Array[][];
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

/** Vectors of a revision that is about to become a head. */
export interface HeadVectors extends Pick<ChainVector, 'vectors'> {
  model: string;
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

/** The cosines of unrelated texts (floor) and of equal ones (ceiling) in one model. */
export type Scale = Pick<VectorModel, 'floor' | 'ceiling'>;

/** How many of the nearest chains a stretch's vector can add. In every store, further chains count as not near. */
export const NEAREST = 24;

/**
 * How near a cosine is on a model's own scale: 0 at its floor and below, 1 at its ceiling and above. So nearness means
 * the same for models whose cosines lie between 0 and 0.5 and for those where they lie between 0.7 and 0.9.
 */
export function nearness(cosine: number, { floor, ceiling }: Scale): number {
  return Math.min(1, Math.max(0, (cosine - floor) / (ceiling - floor)));
}

/** Raised when the texts come out differently, so that vectors made of the older ones are made again. */
export const EMBEDDING_FORMAT = 2;

/** Small models read a few hundred words; what comes first counts. */
const LENGTH_MAX = 1200;
/** Further triggers are found by their words and by the vector of the whole chain. */
const TRIGGERS_MAX = 12;
/** Sentences of a request that are looked up by themselves. */
const PASSAGES_MAX = 8;
/** A shorter sentence has too little meaning alone. */
const PASSAGE_WORDS_MIN = 3;

/**
 * The texts of a chain that each get a vector: title; title with description; title with the labels of its steps; each
 * trigger; and at the end all of that in one. Equal texts are returned once.
 */
export function embeddingTexts({ title, triggers, description, steps }: ChainContent): string[] {
  const phrases =
    triggers === null ? [] : triggerPhrases(triggers).map((phrase) => phrase.replaceAll('"', ''));
  const labels = steps.map(({ label }) => label).join('. ');
  const parts = [
    [title],
    [title, description],
    [title, labels],
    ...phrases.slice(0, TRIGGERS_MAX).map((each) => [each]),
  ];
  const whole = joined([title, ...new Set(phrases), description, labels]);
  return [...new Set(parts.map(joined).filter((text) => text !== '')), whole];
}

/** The texts of a query that get a vector: each stretch of each phrasing, followed by its sentences if it has several. */
export function queryTexts(query: string): string[][] {
  return parseQuery(query).flatMap(({ texts }) => texts.map((text) => [text, ...passagesOf(text)]));
}

function passagesOf(text: string): string[] {
  const sentences = text
    .split(/(?<=[.!?;:,。！？；])\s+|\n+/u)
    .filter((sentence) => sentence.trim().split(/\s+/).length >= PASSAGE_WORDS_MIN);
  return sentences.length < 2 ? [] : sentences.slice(0, PASSAGES_MAX);
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join('. ')
    .slice(0, LENGTH_MAX)
    .replace(/\p{Surrogate}/gu, '');
}
