import { setTimeout as sleep } from 'node:timers/promises';
import type { KairosError } from '../base/errors.ts';
import { calibrate } from '../search/embedding/calibrate.ts';
import type { Embedder } from '../search/embedding/embedder.ts';
import type { Store } from '../store/port.ts';
import { type IndexProgress, type IndexResult, indexChains, vectorModelName } from './index-chains.ts';

export interface KeepIndexedOptions {
  signal: AbortSignal;
  /** Milliseconds between two looks for what is new, and before a provider that failed is asked again. */
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
