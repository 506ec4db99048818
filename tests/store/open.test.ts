import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { contentOf, revisionOf } from './builders.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'kairos-open-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('openStore', () => {
  it.each([
    ['nothing', null, 'kairos.db'],
    ['a path', join(dataDir, 'a.db'), 'a.db'],
    ['sqlite:PATH', `sqlite:${join(dataDir, 'b.db')}`, 'b.db'],
    ['a file URL', pathToFileURL(join(dataDir, 'with space.db')).href, 'with space.db'],
    ['a path in folders that are missing', join(dataDir, 'new', 'deep', 'c.db'), 'new/deep/c.db'],
  ])('opens %s', async (_, location, file) => {
    const store = await openStore({ location, dataDir });
    await store.putRevision(revisionOf(contentOf()), null);
    await store.close();
    expect(existsSync(join(dataDir, file))).toBe(true);

    const again = await openStore({ location, dataDir });
    expect(await again.listChains(['personal'])).toHaveLength(1);
    await again.close();
  });

  it.skipIf(process.platform === 'win32')('lets only the user read what it makes', async () => {
    const path = join(dataDir, 'private', 'd.db');
    const store = await openStore({ location: path, dataDir });
    await store.putRevision(revisionOf(contentOf()), null);
    expect(statSync(join(dataDir, 'private')).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(join(dataDir, 'private'))) {
      expect([file, statSync(join(dataDir, 'private', file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    await store.close();
  });

  it('opens memory, which is empty after closing', async () => {
    const store = await openStore({ location: ':memory:', dataDir });
    await store.putRevision(revisionOf(contentOf()), null);
    await store.close();
    const again = await openStore({ location: ':memory:', dataDir });
    expect(await again.listSpaces()).toEqual([]);
    await again.close();
    expect(readdirSync(dataDir)).not.toContain(':memory:');
  });

  it.each(['qdrant://127.0.0.1:1/k', 'qdrant+http://127.0.0.1:1/k', 'qdrant:http://127.0.0.1:1'])(
    'opens %s without asking the server, and then reports that it is missing',
    async (location) => {
      const store = await openStore({ location, dataDir });
      await expect(store.listSpaces()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await store.close();
    },
  );

  it('reports which kinds there are', async () => {
    await expect(openStore({ location: 'postgres://x/y', dataDir })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'unknown kind of store: postgres',
    });
  });
});
