import type { Log } from '../../../mcp/server/metrics.ts';
import type { OperationContext } from '../../../operations/context.ts';

/** Keeps the index while a server runs, when an embedding provider is configured. Its end waits for what is being written. */
export function startBackgroundIndex(
  { embedders, store }: Pick<OperationContext, 'embedders' | 'store'>,
  log: Log,
): { end: () => Promise<void> } {
  if (embedders === undefined) return { end: async () => {} };
  const controller = new AbortController();
  const work = async () => {
    const embedder = await embedders.configured();
    if (embedder === null) return;
    const { keepIndexed } = await import('../../../operations/keep-indexed.ts');
    await keepIndexed(store, embedder, {
      signal: controller.signal,
      onIndexed: ({ model, indexed, done, total, failed, dropped }) =>
        log.info('search.indexed', { model, indexed, done, total, failed: failed.length, dropped }),
      onFailed: ({ message }) => log.warn('search.index_failed', { message }),
      onReplaced: (model) => log.warn('search.index_left', { model }),
    });
  };
  const running = work().catch((error: Error) => log.warn('search.index_failed', { message: error.message }));
  return {
    end: async () => {
      controller.abort();
      await running;
    },
  };
}
