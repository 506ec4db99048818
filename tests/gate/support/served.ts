import type { ProposeOutput } from '../../../src/operations/propose.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';
import { overHttp, startHttp, structured, type TestClient } from '../../mcp/support.ts';
import type { CliHome } from '../../support/cli.ts';
import { mintTrusted } from './cli.ts';

/** A served run that stands before its gated step, seen through a client. */
export interface AtGuard {
  uri: string;
  run_id: string;
  draft: Record<string, unknown>;
  propose(proposal?: unknown): Promise<ProposeOutput>;
  next(solution?: unknown): Promise<RunFields>;
}

/** Walks to the gated step; with --execute the server proves the first one itself. */
export async function toGuard(client: TestClient, first: string, solution?: object): Promise<AtGuard> {
  const begun = structured<RunFields>(await client.call('kairos_begin', { uri: first }));
  const run_id = begun.run_id!;
  const { nonce, proof_hash } = begun.challenge!;
  const bound = solution === undefined ? {} : { solution: { ...solution, nonce, proof_hash } };
  const shown = structured<RunFields>(await client.call('kairos_next', { uri: first, run_id, ...bound }));
  return { ...atGuard(client, shown.current_step!.uri, run_id), draft: shown.challenge!.proposal_draft! };
}

/** The calls of a client on a gated step, without a draft of its own. */
export function atGuard(client: TestClient, uri: string, run_id: string): Omit<AtGuard, 'draft'> {
  return {
    uri,
    run_id,
    propose: async (proposal) =>
      structured(
        await client.call('kairos_propose', { uri, run_id, ...(proposal === undefined ? {} : { proposal }) }),
      ),
    next: async (solution) =>
      structured(
        await client.call('kairos_next', { uri, run_id, ...(solution === undefined ? {} : { solution }) }),
      ),
  };
}

/** Good enough for a test. */
const TOKEN = 'a-long-enough-token-1';

/** A server over HTTP that runs commands, and one client of it under an actor of its own name. */
export async function serveExecuting(home: CliHome, kind: Parameters<typeof overHttp>[0], actor?: string) {
  const KAIROS_TOKEN = actor === undefined ? TOKEN : `${actor}:${TOKEN}`;
  const server = await startHttp(home, ['--execute'], { KAIROS_TOKEN });
  const client = await overHttp(kind, server.url, TOKEN);
  const close = async () => {
    await client.close();
    await server.stop();
  };
  return { server, client, close };
}

/** The same with a run of this document that stands before its gated step. */
export async function serveToGuard(
  home: CliHome,
  document: string,
  kind: Parameters<typeof overHttp>[0],
  actor?: string,
) {
  const first = await mintTrusted(home, document, 'move-the-switch');
  const served = await serveExecuting(home, kind, actor);
  return { ...served, guard: await toGuard(served.client, first) };
}
