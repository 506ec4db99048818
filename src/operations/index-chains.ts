import { setTimeout as sleep } from 'node:timers/promises';
import { KairosError } from '../base/errors.ts';
import { calibrate } from '../search/embedding/calibrate.ts';
import type { Embedder, EmbeddingKind } from '../search/embedding/embedder.ts';
import {
  type ChainToEmbed,
  EMBEDDING_FORMAT,
  embeddingTexts,
  type VectorModel,
  type VectorStore,
} from '../search/vectors.ts';
import type { Store } from '../store/port.ts';

export interface IndexProgress {
  model: string;
  /** Chains that have a vector now. */
  done: number;
  /** Live chains. */
  total: number;
}

export interface IndexResult extends IndexProgress {
  /** Chains that got a vector in this call. */
  indexed: number;
  /** Chains for which the provider returns no vector; a search by words still finds them. */
  failed: { chainId: string; slug: string; reason: string }[];
  /** The model that search uses from now on. */
  inUse: string | null;
  /** Models whose vectors were deleted for it. */
  dropped: string[];
}

export interface IndexOptions {
  calibrate: (embedder: Embedder, signal?: AbortSignal) => Promise<Omit<VectorModel, 'model'>>;
  onProgress?: (progress: IndexProgress) => void;
  signal?: AbortSignal;
}

/** Chains read at a time. Vectors are stored in batches, so that an interruption loses little. */
const PAGE = 128;

/** The name under which a store keeps an embedder's vectors. */
export function vectorModelName({ name }: Pick<Embedder, 'name'>): string {
  return `${name}#${EMBEDDING_FORMAT}`;
}

/**
 * Computes a vector of the embedder's model for every live chain without one, then switches search to that
 * model and deletes the other vectors. Until then search uses the old ones. After an interruption the next
 * call continues. Throws the embedder's error if it can compute no vector at all.
 */
export async function indexChains(
  store: Store,
  embedder: Embedder,
  { calibrate, onProgress, signal }: IndexOptions,
): Promise<IndexResult> {
  const model = vectorModelName(embedder);
  await addModel(store, model, () => calibrate(embedder, signal));
  const total = (await store.listSpaces()).reduce((sum, { chainCount }) => sum + chainCount, 0);
  const before = await vectorsOf(store, model);
  const result: IndexResult = {
    model,
    done: before,
    total,
    indexed: 0,
    failed: [],
    inUse: null,
    dropped: [],
  };
  for (let after = ''; ; ) {
    const chains = await store.chainsWithoutVector(model, PAGE, after);
    const last = chains.at(-1);
    if (last === undefined) break;
    after = last.chainId;
    for (let at = 0; at < chains.length; at += embedder.batchSize) {
      signal?.throwIfAborted();
      await embedBatch(store, model, embedder, chains.slice(at, at + embedder.batchSize), result, signal);
      onProgress?.({ model, done: result.done, total });
    }
  }
  await store.useVectorModel(model);
  for (const { model: other } of await store.vectorModels()) {
    if (other !== model && (await store.dropVectorModel(other))) result.dropped.push(other);
  }
  return { ...result, inUse: (await store.vectorModelInUse())?.model ?? null };
}

async function addModel(
  store: VectorStore,
  model: string,
  measure: () => Promise<Omit<VectorModel, 'model'>>,
): Promise<void> {
  const known = (await store.vectorModels()).some((each) => each.model === model);
  if (!known) await store.addVectorModel({ model, ...(await measure()) });
}

async function vectorsOf(store: VectorStore, model: string): Promise<number> {
  return (await store.vectorModels()).find((each) => each.model === model)?.vectors ?? 0;
}

/** Retries a failed batch chain by chain: one odd text must not hide the others. */
async function embedBatch(
  store: VectorStore,
  model: string,
  embedder: Embedder,
  chains: readonly ChainToEmbed[],
  result: IndexResult,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const vectors = await embedTexts(
      embedder,
      chains.map(({ content }) => embeddingTexts(content)),
      signal,
    );
    const kept = await store.putVectors(
      model,
      chains.map(({ chainId, digest }, at) => ({ chainId, digest, vectors: vectors[at] ?? [] })),
    );
    result.done += kept;
    result.indexed += kept;
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'EMBEDDING_FAILED') throw error;
    const [only] = chains;
    if (chains.length > 1) {
      for (const chain of chains) await embedBatch(store, model, embedder, [chain], result, signal);
    } else if (only !== undefined) {
      // Nothing has worked so far: the provider is down; the text isn't the cause.
      if (result.indexed === 0) throw error;
      result.failed.push({ chainId: only.chainId, slug: only.content.slug, reason: error.message });
      if (result.failed.length >= FAILED_MAX) throw error;
    }
  }
}

/** The vectors of several lists of texts, asked for together. */
export async function embedTexts(
  embedder: Embedder,
  lists: readonly (readonly string[])[],
  signal?: AbortSignal,
  kind: EmbeddingKind = 'document',
): Promise<Float32Array[][]> {
  const vectors = await embedder.embed(lists.flat(), kind, signal);
  const starts = lists.map((_, at) => lists.slice(0, at).reduce((sum, { length }) => sum + length, 0));
  return lists.map(({ length }, at) => vectors.slice(starts[at], (starts[at] ?? 0) + length));
}

/** So many failed chains in one call are not odd texts. */
const FAILED_MAX = 20;

export interface KeepIndexedOptions {
  signal: AbortSignal;
  /** Milliseconds between two checks for new chains, and before kairos asks a failed provider again. */
  pauseMs?: number;
  /** Called after every pass that changed something. */
  onIndexed: (result: IndexResult) => void;
  onProgress?: (progress: IndexProgress) => void;
  onFailed: (error: Error) => void;
  /** Called when another process has chosen another model: this one then leaves the index to it. */
  onReplaced: (model: string) => void;
}

const PAUSE_MS = 10_000;

/**
 * Gives chains their vectors until the signal comes: first all, then what is minted or changed. A provider that is down
 * is asked again later. Only the first pass may change the model in use, because two processes with different settings
 * would otherwise replace each other's model.
 */
export async function keepIndexed(
  store: Store,
  embedder: Embedder,
  { signal, pauseMs = PAUSE_MS, onIndexed, onProgress, onFailed, onReplaced }: KeepIndexedOptions,
): Promise<void> {
  const model = vectorModelName(embedder);
  let first = true;
  let failure: string | null = null;
  while (!signal.aborted) {
    try {
      const inUse = (await store.vectorModelInUse())?.model ?? null;
      if (!first && inUse !== model) return onReplaced(inUse ?? 'none');
      if (first || (await store.chainsWithoutVector(model, 1)).length > 0) {
        const progress = onProgress === undefined ? {} : { onProgress };
        const result = await indexChains(store, embedder, { calibrate, signal, ...progress });
        if (first || result.indexed > 0) onIndexed(result);
      }
      first = false;
      failure = null;
    } catch (error) {
      if (signal.aborted) return;
      const { message, code } = error as KairosError;
      // Reported once, not every ten seconds.
      if (message !== failure) onFailed(error as Error);
      failure = message;
      if (code === 'READ_ONLY') return;
    }
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Gives every chain its vector now. */
export function indexNow(
  store: Store,
  embedder: Embedder,
  onProgress: (progress: IndexProgress) => void,
): Promise<IndexResult> {
  return indexChains(store, embedder, { calibrate, onProgress });
}

/** Deletes all vectors, so that search uses words alone. Returns the names of their models. */
export async function dropVectors(store: Store): Promise<string[]> {
  await store.useVectorModel(null);
  const dropped: string[] = [];
  for (const { model } of await store.vectorModels()) {
    if (await store.dropVectorModel(model)) dropped.push(model);
  }
  return dropped;
}
