import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDING_PROVIDERS } from '../../src/search/embedding/embedder.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../search/embedding/embedding-server.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

const page = readFileSync(new URL('../../docs/search.md', import.meta.url), 'utf8');
const rows = (pattern: RegExp) => [...page.matchAll(pattern)].map((match) => match.slice(1));

let home: CliHome;
let server: EmbeddingServer;
beforeAll(async () => {
  home = makeHome();
  server = await startEmbeddingServer();
  await kairos(home, ['mint', '-'], { stdin: protocolOf(['comment'], 'Ship the release') });
});
afterAll(async () => {
  home.remove();
  await server.close();
});

describe('docs/search.md', () => {
  it('names every provider, key and variable', async () => {
    expect(rows(/^\| `([a-z-]+)` \|/gm).flat()).toEqual([...EMBEDDING_PROVIDERS]);
    const keys = rows(/^\| `(embedding_[a-z_]+)` \| `(KAIROS_[A-Z_]+)` \|/gm);
    expect(keys.map(([key]) => key)).toEqual([
      'embedding_provider',
      'embedding_model',
      'embedding_url',
      'embedding_api_key',
    ]);
    for (const [key, variable] of keys as [string, string][]) {
      expect(variable).toBe(`KAIROS_${key.toUpperCase()}`);
      const value = key === 'embedding_provider' ? 'none' : 'x';
      expect(await kairos(home, ['config', 'set', key, value])).toMatchObject({ code: 0 });
      expect(await kairos(home, ['config', 'unset', key])).toMatchObject({ code: 0 });
    }
  });

  it('shows commands that work', async () => {
    const commands = rows(/^\$ kairos (.*)$/gm).map(([command]) => command as string);
    expect(commands).toHaveLength(7);
    for (const command of commands) {
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      const args = words.map((word) => word.replace('http://127.0.0.1:11434/v1', server.url));
      expect([command, await kairos(home, args)]).toMatchObject([command, { code: 0 }]);
    }
  });
});
