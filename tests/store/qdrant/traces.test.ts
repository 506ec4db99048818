import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../src/ledger/entry.ts';
import { digest } from '../../../src/protocol/identity.ts';
import { SEARCH_FORMAT } from '../../../src/search/document.ts';
import type { Store } from '../../../src/store/port.ts';
import { openQdrantStore } from '../../../src/store/qdrant/store.ts';
import { type QdrantDouble, startDouble } from '../../support/qdrant-double/server.ts';
import type { StoredPoint } from '../../support/qdrant-double/state.ts';
import { begun, contentOf, next, revisionOf, SPACE, sealOf } from '../builders.ts';

/** What is in a collection after accidents: broken-off moves, older builds, other programs. */
let double: QdrantDouble;
let store: Store;
beforeEach(async () => {
  double = await startDouble({ isDirect: true });
  store = await openQdrantStore(double.address());
});
afterEach(async () => {
  await store.close();
  expect(double.violations).toEqual([]);
  await double.close();
});

const points = (kind: string): StoredPoint[] =>
  [...(double.state.collections.get('kairos_v1')?.points.values() ?? [])].filter(
    ({ payload }) => payload.kind === kind,
  );
const REVISION = revisionOf(contentOf());
const SEARCH = { query: 'water the plants', limit: 5, spaces: [SPACE] };

describe('a long run that is restored', () => {
  /** Nine megabytes of entries: three points. */
  function longRun(): LedgerEntry[] {
    const entries = [begun('r1')];
    for (let at = 0; at < 90; at += 1) {
      entries.push(next(entries.at(-1)!, 'command.finished', { output: String(at).repeat(50_000) }));
    }
    entries.push(next(entries.at(-1)!, 'run.sealed', { outcome: 'success' }));
    return entries;
  }

  it('exists completely or not at all, and a second try continues the first', async () => {
    const entries = longRun();
    const record = { runId: 'r1', storeSeq: 3, entries, seal: sealOf(entries.at(-1)!) };
    let writes = 0;
    double.fault = (request) => {
      if (!/^PUT .*points$/.test(request)) return null;
      writes += 1;
      return writes > 1 ? { kind: 'status', status: 401, body: 'no' } : null;
    };
    await expect(store.restoreRun(record)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    double.fault = () => null;
    expect(points('batch')).toHaveLength(1);
    expect([await store.readEntries('r1'), await store.findRun('r1'), await store.lastRun()]).toEqual([
      [],
      null,
      null,
    ]);
    expect(await store.appendEntries('r1', entries.length, [])).toBe(false);

    expect(await store.restoreRun(record)).toBe(true);
    expect(points('batch').length).toBeGreaterThan(1);
    expect(await store.readEntries('r1')).toEqual(entries);
    expect(await store.readSeal('r1')).toEqual(record.seal);
    expect(await store.findRun('r1')).toMatchObject({ storeSeq: 3, entryCount: 92, outcome: 'success' });
    expect(await store.restoreRun(record)).toBe(false);
  });
});

describe('an index of another build', () => {
  const setFormat = (format: number) => {
    for (const { payload } of points('chain'))
      Object.assign(payload, { search_format: format, phrases: [], stems: [] });
  };

  it('is built again when it is older, and by readers refused', async () => {
    await store.putRevision(REVISION, null);
    const before = await store.searchChains(SEARCH);
    setFormat(SEARCH_FORMAT - 1);
    const reader = await openQdrantStore(double.address(), { readOnly: true });
    await expect(reader.searchChains(SEARCH)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const writer = await openQdrantStore(double.address());
    expect(await writer.searchChains(SEARCH)).toEqual(before);
    expect(await reader.searchChains(SEARCH)).toEqual(before);
    await reader.close();
    await writer.close();
  });

  it('is left alone when it is newer', async () => {
    await store.putRevision(REVISION, null);
    setFormat(SEARCH_FORMAT + 1);
    await expect(store.searchChains(SEARCH)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(points('chain')[0]?.payload.search_format).toBe(SEARCH_FORMAT + 1);
    expect(await store.head(REVISION.chainId)).toMatchObject({ number: 1 });
  });
});

describe('what another program did', () => {
  it('to an entry is reported, and the line shown unchanged', async () => {
    await store.createRun('r1', 1, [begun('r1')]);
    Object.assign(points('run')[0]?.payload ?? {}, { entries: ['{"v":1,'] });
    await expect(store.readEntries('r1')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await store.readLines('r1')).toEqual(['{"v":1,']);
  });

  it('to the text of an entry that means the same shows in its line', async () => {
    const first = begun('r1');
    await store.createRun('r1', 1, [first]);
    const edited = JSON.stringify(first).replace('{', '{"v":2,');
    Object.assign(points('run')[0]?.payload ?? {}, { entries: [edited] });
    expect(await store.readLines('r1')).toEqual([edited]);
  });

  it('to the row of a sealed run shows where the run is found as in lists of runs', async () => {
    const first = begun('r1');
    const sealed = next(first, 'run.sealed', { outcome: 'success' });
    await store.createRun('r1', 1, [first]);
    await store.appendEntries('r1', 1, [sealed], sealOf(sealed));
    const row = (await store.findRun('r1'))!;
    const [point] = points('run');
    Object.assign(point?.payload ?? {}, { row: JSON.stringify({ ...row, actor: 'eve' }) });
    expect(await store.findRun('r1')).toEqual({ ...row, actor: 'eve' });
    expect(await store.findRuns({ spaces: [row.space] })).toEqual([{ ...row, actor: 'eve' }]);
    Object.assign(point?.payload ?? {}, { row: 'gone' });
    expect(await store.findRun('r1')).toEqual(row);
  });

  it('to a chain or its contents is reported', async () => {
    await store.putRevision(REVISION, null);
    const [revision] = points('revision');
    double.state.collections.get('kairos_v1')?.points.delete(revision?.id ?? '');
    await expect(store.head(REVISION.chainId)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    Object.assign(points('chain')[0]?.payload ?? {}, { state: 'x' });
    await expect(store.head(REVISION.chainId)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});

describe('a server that stops in the middle', () => {
  it.each([1, 2, 3, 4])(
    'of minting, before write %i: nothing of it is seen, and the next one is number 2',
    async (at) => {
      await store.putRevision(REVISION, null);
      const changed = revisionOf(contentOf({ title: 'Water all the plants', steps: 4 }));
      let writes = 0;
      double.fault = (request) => {
        if (!/^PUT .*points$/.test(request)) return null;
        writes += 1;
        return writes >= at ? { kind: 'status', status: 401, body: 'no' } : null;
      };
      const outcome = await store.putRevision(changed, REVISION.digest).catch((error) => error.code);
      double.fault = () => null;
      expect(outcome).toBe(writes >= at ? 'STORE_UNAVAILABLE' : 'stored');
      if (outcome === 'stored') return;
      expect(await store.revisions(REVISION.chainId)).toMatchObject([{ number: 1 }]);
      expect(await store.chainRecord(REVISION.chainId)).toMatchObject({
        head: 1,
        revisions: [{ number: 1 }],
      });
      const other = revisionOf(contentOf({ title: 'Water some of the plants' }));
      expect(await store.putRevision(other, REVISION.digest)).toBe('stored');
      expect(await store.head(REVISION.chainId)).toMatchObject({ number: 2, digest: digest(other.content) });
    },
  );

  it('of sealing, before the row exists next to the run: the run is sealed all the same', async () => {
    const sealed = next(begun('r1'), 'run.sealed', { outcome: 'failure' });
    await store.createRun('r1', 1, [begun('r1')]);
    double.fault = (request) =>
      request.endsWith('/payload') ? { kind: 'status', status: 401, body: 'no' } : null;
    expect(await store.appendEntries('r1', 1, [sealed], sealOf(sealed))).toBe(true);
    double.fault = () => null;
    expect(await store.findRun('r1')).toMatchObject({ outcome: 'failure', entryCount: 2 });
    expect(await store.findRuns({ spaces: [SPACE], open: true })).toEqual([]);
    expect(await store.findRuns({ spaces: [SPACE], open: false })).toMatchObject([
      { runId: 'r1', outcome: 'failure' },
    ]);
  });
});
