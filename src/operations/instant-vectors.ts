import { KairosError } from '../base/errors.ts';
import { embeddingTexts } from '../search/embedding-text.ts';
import type { ChainToEmbed } from '../search/vectors.ts';
import type { OperationContext } from './context.ts';
import { embedTexts, indexChains, vectorModelName } from './index-chains.ts';

type Parts = Pick<OperationContext, 'embedders' | 'store'>;

/**
 * Gives chains that were just stored their vectors, where the configured embedder is instant. Never throws for a store
 * that takes none: the chains are found by words, and the next search catches up.
 */
export async function keepVectors(
  { embedders, store }: Parts,
  chains: readonly ChainToEmbed[],
): Promise<void> {
  const embedder = await embedders?.configured();
  if (!embedder?.instant || chains.length === 0) return;
  const model = vectorModelName(embedder);
  try {
    if ((await store.vectorModelInUse())?.model !== model) {
      const known = await store.vectorModels();
      if (!known.some((each) => each.model === model))
        await store.addVectorModel({ model, ...embedder.instant });
      if (!known.some(({ inUse }) => inUse)) await store.useVectorModel(model);
    }
    const vectors = await embedTexts(
      embedder,
      chains.map(({ content }) => embeddingTexts(content)),
    );
    await store.putVectors(
      model,
      chains.map(({ chainId, digest }, at) => ({ chainId, digest, vectors: vectors[at] ?? [] })),
    );
  } catch (error) {
    if (!(error instanceof KairosError)) throw error;
  }
}

/** More are left to `kairos index` and to a server's background. */
const CATCH_UP_MAX = 20_000;

/**
 * Gives all chains that have none their vectors, where the configured embedder is instant: for a store of an older kairos,
 * or one that was imported. Once for each store that a process opens. Never throws for a store that cannot be written.
 */
export async function catchUp({ embedders, store }: Parts): Promise<void> {
  if (embedders === undefined || caughtUp.has(store)) return;
  caughtUp.add(store);
  const embedder = await embedders.configured().catch(() => null);
  if (!embedder?.instant) return;
  const { instant } = embedder;
  try {
    const total = (await store.listSpaces()).reduce((sum, { chainCount }) => sum + chainCount, 0);
    const known = (await store.vectorModels()).find(({ model }) => model === vectorModelName(embedder));
    const missing = total - (known?.vectors ?? 0);
    if ((known?.inUse && missing <= 0) || total === 0 || missing > CATCH_UP_MAX) return;
    await indexChains(store, embedder, { calibrate: async () => instant });
  } catch (error) {
    if (!(error instanceof KairosError)) throw error;
  }
}

const caughtUp = new WeakSet<object>();
