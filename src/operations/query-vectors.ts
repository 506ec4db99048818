import { KairosError } from '../base/errors.ts';
import { passagesOf } from '../search/embedding-text.ts';
import { parseQuery } from '../search/query.ts';
import type { QueryVectors } from '../search/vectors.ts';
import type { OperationContext } from './context.ts';
import { embedTexts } from './index-chains.ts';
import { catchUp } from './instant-vectors.ts';

/** Milliseconds that a search waits for the vector of its query. */
const WAIT_MS = 2500;
/**
 * After a failure, searches use words alone for this long, so that they don't all wait for a provider that is
 * down.
 */
const REST_MS = 30_000;

export interface QueryMeaning {
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
  const phrasings = parseQuery(query);
  if (model === null || phrasings.length === 0) return {};
  if (clock() < (restUntil.get(embedders) ?? 0)) return { note: WORDS_ONLY };
  const timeout = AbortSignal.timeout(waitMs);
  try {
    const embedder = await embedders.named(model.model.replace(/#\d+$/, ''));
    if (embedder === null) return { note: WORDS_ONLY };
    const texts = phrasings.map(({ text }) => [text, ...passagesOf(text)]);
    const asked = embedTexts(embedder, texts, timeout, 'query');
    const vectors = await Promise.race([asked, rejection(timeout)]);
    if (vectors.flat().some(({ length }) => length !== model.dimensions)) return { note: WORDS_ONLY };
    return { vectors: { model, phrasings: vectors } };
  } catch (error) {
    const known = error instanceof KairosError || timeout.aborted;
    if (!known) throw error;
    restUntil.set(embedders, clock() + REST_MS);
    return { note: WORDS_ONLY };
  }
}

const WORDS_ONLY = 'Searched by words only: the embedding provider did not respond.';

const restUntil = new WeakMap<object, number>();

/** Local models ignore a signal while they load. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
