import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KairosError } from '../../../src/base/errors.ts';
import { digest } from '../../../src/protocol/identity.ts';
import type { Store } from '../../../src/store/port.ts';
import { begun, contentOf, next, revisionOf } from '../../store/builders.ts';
import { runs } from '../../support/thorough.ts';
import { beginRun, deeds, emptyStore, exported, imported, perform } from './stores.ts';

let from: Store;
let to: Store;
beforeEach(async () => {
  from = await emptyStore();
  to = await emptyStore();
});
afterEach(() => Promise.all([from.close(), to.close()]));

const old = contentOf({ title: 'Old' });
const id = revisionOf(old).chainId;
const changed = contentOf({ title: 'Changed' });

describe('moveInto', () => {
  it('checks the store, also when there is nothing to import', async () => {
    const { text } = await exported(from);
    const down = new KairosError('STORE_UNAVAILABLE', 'the store is down');
    await expect(imported({ ...to, lastRun: () => Promise.reject(down) }, text)).rejects.toBe(down);
  });

  it('refuses a run whose content is neither there nor here, and writes nothing', async () => {
    await from.putRevision(revisionOf(contentOf({ slug: 'free' })), null);
    await from.createRun('r1', 1, [begun('r1')]);
    const { text } = await exported(from);
    await expect(imported(to, text)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^x\.jsonl, line 3: run r1 is pinned to content /),
    });
    expect((await exported(to)).trailer).toMatchObject({ chains: 0, runs: 0 });
    await to.putRevision(revisionOf(contentOf()), null);
    expect((await imported(to, text)).runs.stored).toBe(1);
  });

  it('names every conflict with its line, and writes nothing', async () => {
    await from.putRevision(revisionOf(old), null);
    await from.putRevision(revisionOf(contentOf({ slug: 'free' })), null);
    await beginRun(from, 'r1', 2);
    await to.putRevision(revisionOf(changed), null);
    await to.createRun('r1', 1, [begun('r1'), next(begun('r1'), 'step.shown', { nonce_sha256: 'other' })]);
    const before = (await exported(to)).text;
    const { text } = await exported(from);
    const line = text.split('\n').findIndex((found) => found.includes('"Old"')) + 1;
    await expect(imported(to, text)).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: [
        '2 of the records cannot be imported:',
        `  x.jsonl, line ${line}: chain ${id} has another newest content here`,
        '  x.jsonl, line 4: run r1 differs from the run of this id here, from entry 1 on',
      ].join('\n'),
    });
    for (const onConflict of ['skip', 'replace'] as const) {
      await expect(imported(to, text, { onConflict })).rejects.toMatchObject({
        message: expect.stringMatching(/^1 of the records cannot be imported:\n.*line 4: run r1 differs/),
      });
    }
    expect((await exported(to)).text).toBe(before);
  });

  it('reports in a dry run what it would do, and does nothing', async () => {
    await from.putRevision(revisionOf(old), null);
    await beginRun(from, 'r1');
    const { text } = await exported(from);
    const report = await imported(to, text, { dryRun: true });
    expect([report.chains.stored, report.runs.stored]).toEqual([1, 1]);
    expect((await exported(to)).trailer).toMatchObject({ chains: 0, runs: 0 });
  });

  it('puts newer content on top with replace, keeping history, runs and their pins', async () => {
    await from.putRevision(revisionOf(old), null);
    await beginRun(from, 'theirs');
    await to.putRevision(revisionOf(changed), null);
    await beginRun(to, 'ours');
    const { text } = await exported(from);
    const report = await imported(to, text, { onConflict: 'replace' });
    expect([report.chains.replaced, report.runs.renumbered]).toEqual([1, 1]);
    expect(await to.head(id)).toMatchObject({ number: 2, digest: digest(old) });
    expect(await to.revisionByDigest(id, digest(changed))).toMatchObject({ number: 1 });
    expect(await to.runAt(1)).toBe('ours');
    expect(await to.runAt(2)).toBe('theirs');
    expect(await to.readEntries('theirs')).toEqual(await from.readEntries('theirs'));

    const again = await imported(to, text, { onConflict: 'replace' });
    expect([again.chains.skipped, again.runs.unchanged]).toEqual([1, 1]);
  });

  it('leaves a chain alone with skip, and still keeps what its moved runs are pinned to', async () => {
    const pinned = contentOf();
    await from.putRevision(revisionOf(pinned), null);
    await beginRun(from, 'theirs');
    await to.putRevision(revisionOf(changed), null);
    const report = await imported(to, (await exported(from)).text, { onConflict: 'skip' });
    expect([report.chains.skipped, report.runs.stored]).toEqual([1, 1]);
    expect(await to.head(id)).toMatchObject({ number: 1, digest: digest(changed) });
    expect(await to.revisionByDigest(id, digest(pinned))).toMatchObject({ number: 0, content: pinned });
  });

  it('continues a run that was continued elsewhere, only with replace', async () => {
    await beginRun(from, 'r1', 2);
    await beginRun(to, 'r1', 1);
    const { text } = await exported(from);
    await expect(imported(to, text)).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' });
    expect((await imported(to, text, { onConflict: 'skip' })).runs.skipped).toBe(1);
    expect(await to.readEntries('r1')).toHaveLength(2);
    expect((await imported(to, text, { onConflict: 'replace' })).runs.extended).toBe(1);
    expect(await to.readEntries('r1')).toEqual(await from.readEntries('r1'));
  });

  it('keeps what was counted here of a content that only now comes in', async () => {
    await from.putRevision(revisionOf(old), null);
    await from.rate(id, digest(old), 'success', 0);
    await to.rate(id, digest(old), 'failure', 0);
    const { text } = await exported(from);
    await imported(to, text, { onConflict: 'replace' });
    expect(await to.head(id)).toMatchObject({ digest: digest(old) });
    expect(await to.quality(id)).toEqual({ runs: 1, successes: 0, bonus: 0 });
  });

  it('copies the newest of another store into any store with replace, and changes nothing more after that', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, deeds, async (theirs, ours) => {
        const source = await emptyStore();
        const target = await emptyStore();
        await perform(source, theirs, 'theirs');
        await perform(target, ours, 'ours');
        const before = new Map<string, unknown>();
        for await (const { runId, entries } of target.exportRuns()) before.set(runId, entries);
        const { text } = await exported(source);
        await imported(target, text, { onConflict: 'replace' });
        for await (const chain of source.exportChains()) {
          const head = await source.head(chain.chainId);
          expect((await target.head(chain.chainId))?.digest).toBe(
            head?.digest ??
              (chain.revisions.some(({ number }) => number > 0)
                ? undefined
                : (await target.head(chain.chainId))?.digest),
          );
          for (const { digest: kept } of chain.revisions)
            expect(await target.revisionByDigest(chain.chainId, kept)).not.toBeNull();
        }
        for await (const run of source.exportRuns())
          expect(await target.readEntries(run.runId)).toEqual(run.entries);
        for (const [runId, entries] of before) expect(await target.readEntries(runId)).toEqual(entries);
        const rested = (await exported(target)).text;
        await imported(target, text, { onConflict: 'replace' });
        expect((await exported(target)).text).toBe(rested);
        await Promise.all([source.close(), target.close()]);
      }),
      { numRuns: runs(60) },
    );
  });
});
