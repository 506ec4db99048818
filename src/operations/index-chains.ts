import { KairosError } from '../base/errors.ts';
import type { Embedder } from '../search/embedding/embedder.ts';
import { EMBEDDING_FORMAT, embeddingText } from '../search/embedding-text.ts';
import type { ChainToEmbed, VectorModel, VectorStore } from '../search/vectors.ts';
import type { Store } from '../store/port.ts';

export interface IndexProgress {
  model: string;
  /** Chains that have a vector now. */
  done: number;
  /** Live chains. */
  total: number;
}

export interface IndexResult extends IndexProgress {
  /** Chains that were given a vector by this call. */
  indexed: number;
  /** Chains for which the provider makes no vector; words still find them. */
  failed: { chainId: string; slug: string; reason: string }[];
  /** The model that search compares with from now on. */
  inUse: string | null;
  /** Models whose vectors were given up for it. */
  dropped: string[];
}

export interface IndexOptions {
  calibrate: (embedder: Embedder, signal?: AbortSignal) => Promise<Omit<VectorModel, 'model'>>;
  onProgress?: (progress: IndexProgress) => void;
  signal?: AbortSignal;
}

/** Chains read at a time; vectors are kept batch by batch, so that little is lost by an end at any moment. */
const PAGE = 128;

/** The name under which a store keeps an embedder's vectors. */
export function vectorModelName({ name }: Pick<Embedder, 'name'>): string {
  return `${name}#${EMBEDDING_FORMAT}`;
}

/**
 * Gives every live chain that has none a vector of the embedder's model, then lets search use that model and gives up the
 * others. Until then search goes on with what it had. Whatever ends this, the next call goes on where it stopped. Throws
 * what the embedder throws when it can make no vector at all.
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

/** A batch that fails is tried chain by chain: one odd text must not keep the others from being found. */
async function embedBatch(
  store: VectorStore,
  model: string,
  embedder: Embedder,
  chains: readonly ChainToEmbed[],
  result: IndexResult,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const texts = chains.map(({ content }) => embeddingText(content));
    const vectors = await embedder.embed(texts, 'document', signal);
    const kept = await store.putVectors(
      model,
      chains.map(({ chainId, digest }, at) => ({ chainId, digest, vector: vectors[at] as Float32Array })),
    );
    result.done += kept;
    result.indexed += kept;
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'EMBEDDING_FAILED') throw error;
    const [only] = chains;
    if (chains.length > 1) {
      for (const chain of chains) await embedBatch(store, model, embedder, [chain], result, signal);
    } else if (only !== undefined) {
      // Nothing has worked so far: the provider is down, not the text odd.
      if (result.indexed === 0) throw error;
      result.failed.push({ chainId: only.chainId, slug: only.content.slug, reason: error.message });
      if (result.failed.length >= FAILED_MAX) throw error;
    }
  }
}

/** So many chains that fail in one call are no longer odd texts. */
const FAILED_MAX = 20;
