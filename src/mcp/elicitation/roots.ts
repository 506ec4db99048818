import { fileURLToPath } from 'node:url';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Log } from '../server/log.ts';

/** How long a client may take to name its roots, in milliseconds. */
const ROOTS_MS = 10_000;

/**
 * Asks a client of the 2025 revisions for its roots, once and only when somebody wants to know. Paths of `file:` roots;
 * a client that does not answer has named none, and nothing lies in no root.
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
