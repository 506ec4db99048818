import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openQdrantStore } from '../../src/store/qdrant/store.ts';
import { deeds, emptyStore, exported, imported, perform } from '../operations/moving/stores.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';
import { startServer, type TestServer } from '../support/qdrant-double/test-server.ts';
import { THOROUGH } from '../support/thorough.ts';

let server: TestServer;
let home: CliHome;
beforeAll(async () => {
  server = await startServer();
  home = makeHome();
  if (server.apiKey !== undefined) home.env = { ...home.env, QDRANT_API_KEY: server.apiKey };
});
afterAll(async () => {
  home.remove();
  expect(server.violations()).toEqual([]);
  await server.close();
});

const collection = () => openQdrantStore(server.freshAddress(), { apiKey: server.apiKey });

describe('between an embedded store and Qdrant', () => {
  it('SQLite to JSONL to Qdrant to JSONL to SQLite to JSONL is the same byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (history) => {
        const [first, second, third] = [await emptyStore(), await collection(), await emptyStore()];
        await perform(first, history);
        const { text } = await exported(first);
        await imported(second, text);
        expect((await exported(second)).text).toBe(text);
        await imported(third, (await exported(second)).text);
        expect((await exported(third)).text).toBe(text);
        await Promise.all([first.close(), second.close(), third.close()]);
      }),
      { numRuns: THOROUGH ? 12 : 4 },
    );
  });

  it('is the same from a store that Qdrant was written to by itself', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (history) => {
        const [first, second] = [await collection(), await emptyStore()];
        await perform(first, history);
        const { text } = await exported(first);
        await imported(second, text);
        expect((await exported(second)).text).toBe(text);
        expect((await imported(first, text)).chains.stored).toBe(0);
        await Promise.all([first.close(), second.close()]);
      }),
      { numRuns: THOROUGH ? 8 : 2 },
    );
  });

  it('is what the command does, by copy and by file', async () => {
    mkdirSync(join(home.work, 'protocols'));
    writeFileSync(join(home.work, 'protocols/one.md'), protocolOf(['comment'], 'Keep the books'));
    const address = server.freshAddress();
    const run = async (...args: string[]) => {
      const result = await kairos(home, args);
      expect(result).toMatchObject({ code: 0 });
      return result.stdout;
    };
    await run('store', 'import', 'protocols');
    await run('begin', 'keep-the-books');
    await run('store', 'export', 'a.jsonl');
    expect(await run('store', 'copy', join(home.data, 'kairos.db'), address)).toBe(
      'Protocols: 1 stored\nRuns: 1 stored\n',
    );
    await run('store', 'export', 'b.jsonl', '--store', address);
    expect(readFileSync(join(home.work, 'b.jsonl'), 'utf8')).toBe(
      readFileSync(join(home.work, 'a.jsonl'), 'utf8'),
    );
    expect(await run('store', 'import', 'a.jsonl', '--store', address)).toBe(
      'Protocols: 1 unchanged\nRuns: 1 unchanged\n',
    );
  });
});
