import { randomBytes } from 'node:crypto';
import { THOROUGH } from '../thorough.ts';
import { startDouble } from './server.ts';

/** What the contract suites run on: the double, over HTTP where time does not matter, or the real server that KAIROS_TEST_QDRANT_URL names. */
export interface TestServer {
  /** An address with a collection that nobody has used. */
  freshAddress(): string;
  apiKey: string | undefined;
  /** What was not as the official document says; of a real server nothing is known. */
  violations(): string[];
  /** Removes all collections that were made. */
  close(): Promise<void>;
}

export async function startServer(env: NodeJS.ProcessEnv = process.env): Promise<TestServer> {
  const url = env.KAIROS_TEST_QDRANT_URL;
  if (url) return realServer(url, env.QDRANT_API_KEY || undefined);
  const double = await startDouble({ isDirect: !THOROUGH });
  return {
    freshAddress: () => double.address(freshName()),
    apiKey: undefined,
    violations: () => double.violations,
    close: () => double.close(),
  };
}

function realServer(url: string, apiKey: string | undefined): TestServer {
  const base = url.replace(/\/+$/, '');
  const names: string[] = [];
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'api-key': apiKey };
  return {
    freshAddress() {
      const name = freshName();
      names.push(name);
      return `qdrant:${base}/${name}`;
    },
    apiKey,
    violations: () => [],
    async close() {
      const answer = (await (await fetch(`${base}/collections`, { headers })).json()) as {
        result: { collections: { name: string }[] };
      };
      for (const { name } of answer.result.collections) {
        if (!names.some((own) => name.startsWith(`${own}_`))) continue;
        await fetch(`${base}/collections/${name}`, { method: 'DELETE', headers });
      }
    },
  };
}

function freshName(): string {
  return `kairos_test_${randomBytes(8).toString('hex')}`;
}
