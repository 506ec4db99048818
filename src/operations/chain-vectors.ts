import { plainCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import type { ChainContent } from '../protocol/model.ts';
import { embeddingTexts, type HeadVectors, type QueryVectors, queryTexts } from '../search/vectors.ts';
import type { OperationContext } from './context.ts';
import { embedTexts, indexChains, vectorModelName } from './index-chains.ts';

type Parts = Pick<OperationContext, 'embedders' | 'store'>;

/**
 * Returns the vectors to store with a new head, or undefined unless the configured embedder is instant. A store that rejects
 * vectors causes no error: search finds the chain by words, and the next search adds them.
 */
export async function headVectors(
  { embedders, store }: Parts,
  content: ChainContent,
): Promise<HeadVectors | undefined> {
  const embedder = await embedders?.configured();
  if (!embedder?.instant) return undefined;
  const model = vectorModelName(embedder);
  try {
    if ((await store.vectorModelInUse())?.model !== model) {
      const known = await store.vectorModels();
      if (!known.some((each) => each.model === model))
        await store.addVectorModel({ model, ...embedder.instant });
      if (!known.some(({ inUse }) => inUse)) await store.useVectorModel(model);
    }
    const [vectors = []] = await embedTexts(embedder, [embeddingTexts(content)]);
    return { model, vectors };
  } catch (error) {
    if (!(error instanceof KairosError)) throw error;
    return undefined;
  }
}

/** More are left to `kairos index` and to a server's background. */
const CATCH_UP_MAX = 20_000;

/**
 * Gives all chains that have none their vectors, where the configured embedder is instant: for a store of an older kairos,
 * or one that was imported. Once for each store that a process opens. Never throws for a store that cannot be written.
 */
async function catchUp({ embedders, store }: Parts): Promise<void> {
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

/** Milliseconds that a search waits for the vector of its query. */
const WAIT_MS = 2500;
/**
 * After a failure, searches use words alone for this long, so that they don't all wait for a provider that is
 * down.
 */
const REST_MS = 30_000;

interface QueryMeaning {
  vectors?: QueryVectors;
  /** Why a search uses words alone although vectors exist: a sentence for the result's message. */
  note?: string;
}

/**
 * The vector of a query for the model in use. Never throws for a missing, failing or slow provider: search
 * uses words alone, and the result reports it.
 */
export async function queryVectors(
  { embedders, store, clock }: OperationContext,
  query: string,
  waitMs = WAIT_MS,
): Promise<QueryMeaning> {
  if (embedders === undefined) return {};
  await catchUp({ embedders, store });
  const model = await store.vectorModelInUse();
  const texts = queryTexts(query);
  if (model === null || texts.length === 0) return {};
  const rest = rests.get(embedders);
  if (rest !== undefined && clock() < rest.until) return { note: rest.note };
  const timeout = AbortSignal.timeout(waitMs);
  try {
    const embedder = await embedders.named(model.model.replace(/#\d+$/, ''));
    if (embedder === null) return { note: WORDS_ONLY };
    const asked = embedTexts(embedder, texts, timeout, 'query');
    const vectors = await Promise.race([asked, rejection(timeout)]);
    if (vectors.flat().some(({ length }) => length !== model.dimensions)) return { note: WORDS_ONLY };
    return { vectors: { model, stretches: vectors } };
  } catch (error) {
    const known = error instanceof KairosError || timeout.aborted;
    if (!known) throw error;
    const unset = error instanceof KairosError && error.code === 'INVALID_INPUT';
    const note = unset ? notSetUp() : WORDS_ONLY;
    rests.set(embedders, { until: clock() + REST_MS, note });
    return { note };
  }
}

const WORDS_ONLY = 'Searched by words only: the embedding provider did not respond.';

/** A setting is missing or wrong. An agent must not see its name and value. */
const notSetUp = () =>
  `Searched by words only: the embedding provider is not set up completely; \`${plainCommand(['doctor'])}\` shows what is missing.`;

const rests = new WeakMap<object, { until: number; note: string }>();

/** Local models ignore a signal while they load. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
