import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { begin } from '../../../src/operations/begin.ts';
import { next } from '../../../src/operations/next.ts';
import { chainId } from '../../../src/protocol/identity.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';
import { contentOf, revisionOf } from '../../store/builders.ts';
import { makeContext } from '../../support/context.ts';
import { protocolOf } from '../../support/protocols.ts';
import { runs } from '../../support/thorough.ts';
import { comment, startWalk } from '../../support/walk.ts';
import { beginRun, deeds, emptyStore, exported, imported, perform } from './stores.ts';

describe('a store moved through a file', () => {
  it('comes out byte for byte the same, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (history) => {
        const store = await emptyStore();
        const other = await emptyStore();
        await perform(store, history);
        const { text } = await exported(store);
        await imported(other, text);
        expect((await exported(other)).text).toBe(text);
        await Promise.all([store.close(), other.close()]);
      }),
      { numRuns: runs(60) },
    );
  });

  it('changes nothing the second time, with any policy', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, fc.constantFrom('fail', 'skip', 'replace'), async (history, onConflict) => {
        const store = await emptyStore();
        await perform(store, history);
        const { text, trailer } = await exported(store);
        const report = await imported(store, text, { onConflict });
        expect([report.chains.unchanged, report.runs.unchanged]).toEqual([trailer?.chains, trailer?.runs]);
        expect((await exported(store)).text).toBe(text);
        await store.close();
      }),
      { numRuns: runs(30) },
    );
  });

  it('continues after it was cut off at any record', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, fc.nat(12), async (history, stop) => {
        const store = await emptyStore();
        const other = await emptyStore();
        await perform(store, history);
        const { text, trailer } = await exported(store);
        const interrupt = (phase: string, count: number) => {
          if (phase === 'writing' && count > stop) throw new Error('power cut');
        };
        const total = (trailer?.chains ?? 0) + (trailer?.runs ?? 0);
        const first = imported(other, text, { onProgress: interrupt });
        if (total > stop) await expect(first).rejects.toThrow('power cut');
        else await first;
        const report = await imported(other, text);
        expect(report.chains.unchanged + report.runs.unchanged).toBe(Math.min(total, stop + 1));
        expect((await exported(other)).text).toBe(text);
        await Promise.all([store.close(), other.close()]);
      }),
      { numRuns: runs(40) },
    );
  });

  it('includes finished and open runs, which can be continued', async () => {
    const ctx = await makeContext();
    const done = await startWalk(ctx, protocolOf(['comment', 'none'], 'Moved with its record'));
    await done.solve(1, done.begun.challenge, comment('Looked at every part of it in turn.'));
    await done.attest();
    const open = (await begin(ctx, { uri: done.uris[0]! })) as RunFields;
    const { text, trailer } = await exported(ctx.store);
    expect(trailer).toMatchObject({ chains: 1, runs: 2 });

    const other = await makeContext();
    await imported(other.store, text);
    expect(await other.store.readSeal(done.runId)).toEqual(await ctx.store.readSeal(done.runId));
    const { nonce, proof_hash } = open.challenge!;
    const answer = await next(other, {
      uri: done.uris[0]!,
      run_id: open.run_id!,
      solution: { nonce, proof_hash, ...comment('Went on with it in another store.') },
    });
    expect(answer.error_code).toBeUndefined();
    expect(answer.protocol_status).toBe('completed');
  });
});

describe('an exported store', () => {
  it('is checked by a stranger: a header, canonical lines, the digest of all before the trailer', async () => {
    const store = await emptyStore();
    await store.putRevision(revisionOf(contentOf()), null);
    await beginRun(store, 'r1');
    const { text, trailer } = await exported(store);
    const lines = text.split('\n');
    expect(lines[0]).toBe('{"format":"kairos.store","v":1}');
    expect(lines).toHaveLength(5);
    const before = text.slice(0, text.lastIndexOf('{"trailer"'));
    const sha256 = createHash('sha256').update(before).digest('hex');
    expect(trailer).toEqual({ chains: 1, runs: 1, sha256 });
    expect(JSON.parse(lines[3]!)).toEqual({ trailer });
    expect(JSON.parse(lines[2]!).run.entries).toEqual(await store.readEntries('r1'));
    await store.close();
  });

  it('contains one space when asked to', async () => {
    const store = await emptyStore();
    await store.putRevision(revisionOf(contentOf()), null);
    await store.putRevision(revisionOf(contentOf(), { space: 'team' }), null);
    await beginRun(store, 'r1');
    const { text } = await exported(store, 'team');
    const records = text.trimEnd().split('\n').slice(1, -1);
    expect(records.map((line) => JSON.parse(line).chain?.chain_id)).toEqual([
      chainId('team', 'water-the-plants'),
    ]);
    await store.close();
  });

  it('leaves out runs that begin while it is written', async () => {
    const store = await emptyStore();
    await beginRun(store, 'r1');
    const { exportRuns } = store;
    const busy = {
      ...store,
      exportRuns: async function* () {
        for await (const run of exportRuns()) {
          if (run.runId === 'r1') await beginRun(store, 'r2');
          yield run;
        }
      },
    };
    const { trailer } = await exported(busy);
    expect(trailer).toMatchObject({ runs: 1 });
    await store.close();
  });

  it('is not written of a store that was tampered with', async () => {
    const store = await emptyStore();
    await store.putRevision(revisionOf(contentOf()), null);
    await beginRun(store, 'r1', 1);
    const forged = {
      ...store,
      exportRuns: async function* () {
        for await (const run of store.exportRuns()) {
          const [first, second] = run.entries;
          yield { ...run, entries: [first!, { ...second!, data: { station: 3 } }] };
        }
      },
    };
    await expect(exported(forged)).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringMatching(/^run r1 in the store has a ledger that is not intact: Entry 1 /),
    });
    await store.close();
  });
});
