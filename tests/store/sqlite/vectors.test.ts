import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { chainId, digest } from '../../../src/protocol/identity.ts';
import type { Store } from '../../../src/store/port.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/schema.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { contentOf, revisionOf, SPACE } from '../builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-vectors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODEL = { model: 'test:plane#1', dimensions: 2, floor: 0, ceiling: 1 };
const named = (slug: string) => contentOf({ slug, title: slug, triggers: null, description: '' });
const put = (store: Store, slug: string, ...axes: number[]) =>
  store.putVectors(MODEL.model, [
    { chainId: chainId(SPACE, slug), digest: digest(named(slug)), vectors: [Float32Array.from(axes)] },
  ]);
const near = async (store: Store, ...axes: number[]) => {
  const vectors = { model: MODEL, stretches: [[Float32Array.from(axes)]] };
  const hits = await store.searchChains({ query: 'zzz', limit: 10, spaces: [SPACE], vectors });
  return hits.map(({ chain: { slug } }) => slug);
};

describe('vectors in SQLite', () => {
  it('get their tables in a file of the first version, of which a copy is kept', async () => {
    const path = join(folder, 'old.db');
    const old = await openSqliteStore(path, { migrations: MIGRATIONS.slice(0, 1) });
    await old.putRevision(revisionOf(named('cat')), null);
    await old.close();
    const warnings: string[] = [];
    const store = await openSqliteStore(path, { warn: (message) => warnings.push(message) });
    expect(warnings.filter((message) => message.includes('new format'))).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.endsWith('.backup'))).toHaveLength(1);
    await store.addVectorModel(MODEL);
    expect(await put(store, 'cat', 1, 0)).toBe(1);
    expect(await near(store, 1, 0)).toEqual(['cat']);
    await store.close();
  });

  it('are seen by others that have the file open, as they come, change and go', async () => {
    const path = join(folder, 'shared.db');
    const [writer, reader] = [await openSqliteStore(path), await openSqliteStore(path)];
    for (const slug of ['cat', 'dog']) await writer.putRevision(revisionOf(named(slug)), null);
    await writer.addVectorModel(MODEL);
    await put(writer, 'cat', 1, 0);
    expect(await near(reader, 1, 0)).toEqual(['cat']);
    await put(writer, 'dog', 1, 0);
    await put(writer, 'cat', -1, 0);
    expect(await near(reader, 1, 0)).toEqual(['dog']);
    await writer.deleteChain(chainId(SPACE, 'dog'));
    expect(await near(reader, 1, 0)).toEqual([]);
    await writer.dropVectorModel(MODEL.model);
    await writer.addVectorModel(MODEL);
    await put(writer, 'cat', 1, 0);
    expect(await near(reader, 1, 0)).toEqual(['cat']);
    await reader.close();
    const readOnly = await openSqliteStore(path, { readOnly: true });
    expect(await near(readOnly, 1, 0)).toEqual(['cat']);
    await expect(put(readOnly, 'cat', 1, 0)).rejects.toMatchObject({ code: 'READ_ONLY' });
    await readOnly.close();
    await writer.close();
  });
});
