import { fileURLToPath } from 'node:url';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Log } from '../server/metrics.ts';

/** Milliseconds for a client to name its roots. */
const ROOTS_MS = 10_000;

/**
 * Asks a client of the 2025 revisions for its roots, once and only on demand. Returns the paths of `file:`
 * roots; a client that doesn't answer has none, so nothing is inside a root.
 */
export function clientRoots({ mcpReq }: ServerContext, log: Log): () => Promise<string[]> {
  let asked: Promise<string[]> | null = null;
  const ask = async () => {
    try {
      const options = { timeout: ROOTS_MS, signal: mcpReq.signal };
      const { roots } = await mcpReq.send({ method: 'roots/list' }, options);
      return roots.flatMap(({ uri }) => pathOf(uri));
    } catch (error) {
      log.warn('roots not named', { error: error instanceof Error ? error.message : String(error) });
      return [];
    }
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}

function pathOf(uri: string): string[] {
  try {
    return uri.startsWith('file:') ? [fileURLToPath(uri)] : [];
  } catch {
    return [];
  }
}
