import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GENESIS_HASH } from '../../src/base/canonical.ts';
import { toLines } from '../../src/ledger/line.ts';
import { chainId, digest, stepUuid } from '../../src/protocol/identity.ts';
import type { Store } from '../../src/store/port.ts';
import { AT, begun, contentOf, next, revisionOf, SPACE, sealOf, tombstone } from './builders.ts';

/** What every store must do. `makeStore` gives an empty one. */
export function storeContract(name: string, makeStore: () => Promise<Store>): void {
  describe(`${name}: store contract`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await makeStore();
    });
    afterEach(() => store.close());

    const content = contentOf();
    const id = chainId(SPACE, content.slug);
    const changed = contentOf({ title: 'Water all the plants', steps: 3 });

    describe('chains', () => {
      it('keeps a listed revision as the head, found by id, slug and digest', async () => {
        expect(await store.putRevision(revisionOf(content, { llmModelId: 'm-1' }), null)).toBe('stored');
        const expected = {
          digest: digest(content),
          chainId: id,
          space: SPACE,
          number: 1,
          content,
          author: 'ada',
          llmModelId: 'm-1',
          createdAt: AT,
          weakened: null,
        };
        expect(await store.head(id)).toEqual(expected);
        expect(await store.headBySlug(SPACE, content.slug)).toEqual(expected);
        expect(await store.revisionByDigest(id, digest(content))).toEqual(expected);
        expect(await store.revisions(id)).toEqual([expected]);
      });

      it('answers null and empty lists for what it does not have', async () => {
        expect(await store.head(id)).toBeNull();
        expect(await store.headBySlug(SPACE, 'nothing')).toBeNull();
        expect(await store.revisionByDigest(id, digest(content))).toBeNull();
        expect(await store.revisions(id)).toEqual([]);
        expect(await store.resolveStep(stepUuid(id, 1))).toBeNull();
        expect(await store.deleteChain(id)).toBe(false);
        expect(await store.listChains([SPACE])).toEqual([]);
        expect(await store.listSpaces()).toEqual([]);
        expect(await store.searchChains({ query: 'plants', limit: 10, spaces: [SPACE] })).toEqual([]);
        expect(await store.quality(id)).toEqual({ runs: 0, successes: 0, bonus: 0 });
      });

      it('leaves everything as it is when the same content comes again, whatever head was expected', async () => {
        await store.putRevision(revisionOf(content), null);
        const again = revisionOf(content, { author: 'bob', createdAt: '2027-01-01T00:00:00.000Z' });
        expect(await store.putRevision(again, null)).toBe('unchanged');
        expect(await store.putRevision(again, digest(content))).toBe('unchanged');
        expect(await store.revisions(id)).toMatchObject([{ number: 1, author: 'ada' }]);
      });

      it('takes new content only over the head that the writer saw', async () => {
        expect(await store.putRevision(revisionOf(content), digest(changed))).toBe('conflict');
        await store.putRevision(revisionOf(content), null);
        expect(await store.putRevision(revisionOf(changed), null)).toBe('conflict');
        expect(await store.head(id)).toMatchObject({ number: 1, digest: digest(content) });
        const loosened = revisionOf(changed, { weakened: 'step 2 lost its proof' });
        expect(await store.putRevision(loosened, digest(content))).toBe('stored');
        expect(await store.head(id)).toMatchObject({
          number: 2,
          digest: digest(changed),
          weakened: 'step 2 lost its proof',
        });
        expect(await store.revisionByDigest(id, digest(content))).toMatchObject({ number: 1, content });
      });

      it('lets exactly one of several writers win', async () => {
        const rivals = ['one', 'two', 'three', 'four'].map((title) => revisionOf(contentOf({ title })));
        const outcomes = await Promise.all(rivals.map((rival) => store.putRevision(rival, null)));
        expect(outcomes.toSorted()).toEqual(['conflict', 'conflict', 'conflict', 'stored']);
        const winner = rivals[outcomes.indexOf('stored')];
        expect(await store.head(id)).toMatchObject({ number: 1, digest: winner?.digest });
      });

      it('counts a return to earlier content as a revision of its own', async () => {
        await store.putRevision(revisionOf(content), null);
        await store.putRevision(revisionOf(changed), digest(content));
        expect(await store.putRevision(revisionOf(content), digest(changed))).toBe('stored');
        expect(await store.head(id)).toMatchObject({ number: 3, digest: digest(content) });
        expect((await store.revisions(id)).map(({ number, digest: found }) => [number, found])).toEqual([
          [1, digest(content)],
          [2, digest(changed)],
          [3, digest(content)],
        ]);
      });

      it('keeps an unlisted revision beside the head, without touching it', async () => {
        const unlisted = revisionOf(changed, { listed: false });
        expect(await store.putRevision(unlisted, null)).toBe('stored');
        expect(await store.putRevision(unlisted, null)).toBe('unchanged');
        expect(await store.head(id)).toBeNull();
        expect(await store.listChains([SPACE])).toEqual([]);
        expect(await store.searchChains({ query: 'plants', limit: 10, spaces: [SPACE] })).toEqual([]);
        expect(await store.revisionByDigest(id, digest(changed))).toMatchObject({
          number: 0,
          content: changed,
        });
        expect(await store.resolveStep(stepUuid(id, 3))).toEqual({ chainId: id, index: 3 });

        expect(await store.putRevision(revisionOf(content), null)).toBe('stored');
        expect(await store.putRevision(unlisted, digest(content))).toBe('unchanged');
        expect(await store.head(id)).toMatchObject({ number: 1, digest: digest(content) });
        expect(await store.putRevision(revisionOf(changed), digest(content))).toBe('stored');
        expect(await store.revisionByDigest(id, digest(changed))).toMatchObject({ number: 2 });
        expect(await store.putRevision(revisionOf(content, { listed: false }), null)).toBe('unchanged');
      });

      it('knows the UUID of every step ever handed out', async () => {
        await store.putRevision(revisionOf(changed), null);
        await store.putRevision(revisionOf(content), digest(changed));
        for (const index of [1, 2, 3]) {
          expect(await store.resolveStep(stepUuid(id, index))).toEqual({ chainId: id, index });
        }
        expect(await store.resolveStep(stepUuid(id, 4))).toBeNull();
      });

      it('unlists a deleted chain and keeps what runs need', async () => {
        await store.putRevision(revisionOf(content), null);
        expect(await store.createRun('r1', 1, [begun('r1')])).toBe(true);
        expect(await store.deleteChain(id)).toBe(true);
        expect(await store.deleteChain(id)).toBe(false);
        expect(await store.head(id)).toBeNull();
        expect(await store.headBySlug(SPACE, content.slug)).toBeNull();
        expect(await store.listChains([SPACE])).toEqual([]);
        expect(await store.listSpaces()).toEqual([]);
        expect(await store.searchChains({ query: content.title, limit: 10, spaces: [SPACE] })).toEqual([]);

        expect(await store.revisionByDigest(id, digest(content))).toMatchObject({ number: 1, content });
        expect(await store.revisions(id)).toHaveLength(1);
        expect(await store.resolveStep(stepUuid(id, 2))).toEqual({ chainId: id, index: 2 });
        expect(await store.readEntries('r1')).toEqual([begun('r1')]);
        expect(await store.findRun('r1')).toMatchObject({ chainId: id, title: content.title });

        expect(await store.putRevision(revisionOf(content), null)).toBe('stored');
        expect(await store.head(id)).toMatchObject({ number: 2 });
        expect(await store.searchChains({ query: content.title, limit: 10, spaces: [SPACE] })).toHaveLength(
          1,
        );
      });

      it('lists live chains of the asked spaces by slug, and the spaces', async () => {
        const team = contentOf({ slug: 'b-chain', title: 'B', version: null, tags: [], steps: 1 });
        await store.putRevision(revisionOf(contentOf({ slug: 'z-chain', title: 'Z' })), null);
        await store.putRevision(revisionOf(content), null);
        await store.putRevision(revisionOf(team, { space: 'team' }), null);
        expect((await store.listChains([SPACE])).map(({ slug }) => slug)).toEqual([
          'water-the-plants',
          'z-chain',
        ]);
        expect(await store.listChains(['team', 'nowhere'])).toEqual([
          {
            chainId: chainId('team', 'b-chain'),
            space: 'team',
            slug: 'b-chain',
            title: 'B',
            version: null,
            tags: [],
            stepCount: 1,
            digest: digest(team),
            revision: 1,
            updatedAt: AT,
          },
        ]);
        expect((await store.listChains([SPACE, 'team'])).map(({ slug }) => slug)).toEqual([
          'b-chain',
          'water-the-plants',
          'z-chain',
        ]);
        expect(await store.listChains([])).toEqual([]);
        expect(await store.listSpaces()).toEqual([
          { name: SPACE, chainCount: 2 },
          { name: 'team', chainCount: 1 },
        ]);
      });

      it('keeps one slug in two spaces apart', async () => {
        await store.putRevision(revisionOf(content), null);
        await store.putRevision(revisionOf(changed, { space: 'team' }), null);
        expect(await store.headBySlug(SPACE, content.slug)).toMatchObject({ digest: digest(content) });
        expect(await store.headBySlug('team', content.slug)).toMatchObject({ digest: digest(changed) });
        await store.deleteChain(chainId('team', content.slug));
        expect(await store.headBySlug(SPACE, content.slug)).toMatchObject({ digest: digest(content) });
      });

      it('gives back any text as it came', async () => {
        const odd = contentOf({ title: '植物 🌱 "\'%_\\', description: 'a\u0000b\u007f\u202e\ttab\r\nline' });
        await store.putRevision(revisionOf(odd), null);
        expect((await store.head(id))?.content).toEqual(odd);
      });

      it('counts outcomes of a chain over its revisions, bonuses clamped', async () => {
        await store.putRevision(revisionOf(content), null);
        await store.rate(id, digest(content), 'success', 0.5);
        await store.rate(id, digest(content), 'failure', -7);
        await store.rate(id, digest(changed), 'success', 3);
        expect(await store.quality(id)).toEqual({ runs: 3, successes: 2, bonus: 0.5 });
        expect(await store.quality(chainId(SPACE, 'other'))).toEqual({ runs: 0, successes: 0, bonus: 0 });
      });
    });

    describe('runs', () => {
      it('makes a run out of its first entries and derives its row from them', async () => {
        expect(await store.lastRun()).toBeNull();
        const first = begun('r1', { session: 's1' });
        const shown = next(first, 'step.shown', { nonce_sha256: 'n1' });
        expect(await store.createRun('r1', 1, [first, shown])).toBe(true);
        expect(await store.readEntries('r1')).toEqual([first, shown]);
        expect(await store.readSeal('r1')).toBeNull();
        expect(await store.readLines('r1')).toEqual(toLines([first, shown], null));
        expect(await store.readLines('r2')).toEqual([]);
        expect(await store.findRun('r1')).toEqual({
          runId: 'r1',
          storeSeq: 1,
          space: SPACE,
          chainId: id,
          digest: digest(content),
          slug: content.slug,
          title: content.title,
          actor: 'ada',
          session: 's1',
          begunAt: AT,
          sealedAt: null,
          outcome: null,
          head: shown.hash,
          entryCount: 2,
        });
        expect(await store.lastRun()).toEqual({ storeSeq: 1, head: shown.hash });
      });

      it('gives a sequence number of the store to one run only', async () => {
        const runs = ['a', 'b', 'c', 'd', 'e'];
        const won = await Promise.all(runs.map((run) => store.createRun(run, 1, [begun(run)])));
        expect(won.filter(Boolean)).toHaveLength(1);
        for (const [at, run] of runs.entries()) {
          expect(await store.readEntries(run)).toEqual(won[at] ? [begun(run)] : []);
          expect((await store.findRun(run)) !== null).toBe(won[at]);
        }
        expect(await store.createRun('z', 2, [begun('z')])).toBe(true);
        expect(await store.lastRun()).toEqual({ storeSeq: 2, head: begun('z').hash });
      });

      it('appends only to a run that holds as many entries as the writer saw', async () => {
        const first = begun('r1');
        const second = next(first, 'step.shown', { nonce_sha256: 'n1' });
        const third = next(second, 'proof.accepted', { step: 1 });
        const rival = next(first, 'proof.rejected', { step: 1 });
        await store.createRun('r1', 1, [first]);
        expect(await store.appendEntries('r1', 1, [second, third])).toBe(true);
        expect(await store.appendEntries('r1', 1, [rival])).toBe(false);
        expect(await store.appendEntries('r1', 0, [first])).toBe(false);
        expect(await store.appendEntries('unknown', 0, [begun('unknown')])).toBe(false);
        expect(await store.readEntries('r1')).toEqual([first, second, third]);
        expect(await store.readEntries('unknown')).toEqual([]);
        expect(await store.findRun('r1')).toMatchObject({ head: third.hash, entryCount: 3 });
        expect(await store.lastRun()).toEqual({ storeSeq: 1, head: third.hash });
      });

      it('lets exactly one of several appends at the same place win', async () => {
        const first = begun('r1');
        await store.createRun('r1', 1, [first]);
        const rivals = [1, 2, 3, 4, 5].map((step) => next(first, 'proof.accepted', { step }));
        const won = await Promise.all(rivals.map((rival) => store.appendEntries('r1', 1, [rival])));
        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await store.readEntries('r1')).toEqual([first, rivals[won.indexOf(true)]]);
      });

      it('refuses entries that do not follow, and keeps none of them', async () => {
        const first = begun('r1');
        const second = next(first, 'step.shown');
        await store.createRun('r1', 1, [first]);
        const gap = next(second, 'step.shown');
        const foreign = next(begun('other'), 'step.shown');
        for (const entries of [[gap], [second, second], [foreign], [{ ...second, prev: GENESIS_HASH }]]) {
          await expect(store.appendEntries('r1', 1, entries)).rejects.toMatchObject({ code: 'INTERNAL' });
        }
        await expect(store.createRun('r2', 2, [])).rejects.toMatchObject({ code: 'INTERNAL' });
        await expect(store.createRun('r2', 2, [begun('r2', { digest: null })])).rejects.toMatchObject({
          code: 'INTERNAL',
        });
        expect(await store.readEntries('r1')).toEqual([first]);
        expect(await store.findRun('r1')).toMatchObject({ head: first.hash, entryCount: 1 });
        expect(await store.findRun('r2')).toBeNull();
      });

      it('seals a run together with its last entry, for good', async () => {
        const first = begun('r1');
        const sealed = next(first, 'run.sealed', { outcome: 'failure' }, '2026-02-01T00:00:00.000Z');
        await store.createRun('r1', 1, [first]);
        const wrong = { seal: { ...sealOf(sealed).seal, count: 3 } };
        await expect(store.appendEntries('r1', 1, [sealed], wrong)).rejects.toMatchObject({
          code: 'INTERNAL',
        });
        expect(await store.readEntries('r1')).toEqual([first]);
        expect(await store.appendEntries('r1', 1, [sealed], sealOf(sealed))).toBe(true);
        expect(await store.readSeal('r1')).toEqual(sealOf(sealed));
        expect(await store.readLines('r1')).toEqual(toLines([first, sealed], sealOf(sealed)));
        expect(await store.findRun('r1')).toMatchObject({
          sealedAt: '2026-02-01T00:00:00.000Z',
          outcome: 'failure',
          head: sealed.hash,
          entryCount: 2,
        });
        await expect(store.appendEntries('r1', 2, [next(sealed, 'step.shown')])).rejects.toMatchObject({
          code: 'INTERNAL',
        });
        expect(await store.readEntries('r1')).toEqual([first, sealed]);
      });

      it('finds the run that showed a nonce, open or sealed', async () => {
        const first = begun('r1');
        const shown = next(first, 'step.shown', { nonce_sha256: 'n1' });
        const none = next(shown, 'step.shown', { nonce_sha256: null });
        const echoed = next(none, 'proof.rejected', { nonce_sha256: 'n9' });
        const sealed = next(echoed, 'run.sealed', { outcome: 'success' });
        await store.createRun('r1', 1, [first, shown]);
        await store.createRun('r2', 2, [
          begun('r2'),
          next(begun('r2'), 'step.shown', { nonce_sha256: 'n2' }),
        ]);
        await store.appendEntries('r1', 2, [none, echoed, sealed], sealOf(sealed));
        expect(await store.findRunByNonce('n1')).toBe('r1');
        expect(await store.findRunByNonce('n2')).toBe('r2');
        expect(await store.findRunByNonce('n9')).toBeNull();
        expect(await store.findRunByNonce('n3')).toBeNull();
      });

      it('finds runs by every part of a query, newest first', async () => {
        const other = chainId(SPACE, 'other');
        const make = async (runId: string, seq: number, parts: Record<string, string | null>) =>
          store.createRun(runId, seq, [begun(runId, parts)]);
        await make('r1', 1, { actor: 'ada', session: 's1' });
        await make('r2', 2, { actor: 'bob', session: 's2', chain_id: other });
        await make('r3', 3, { actor: 'ada', session: 's1', chain_id: other });
        await make('r4', 4, { actor: 'ada', session: null, space: 'team' });
        const sealed = next(begun('r3', { actor: 'ada', session: 's1', chain_id: other }), 'run.sealed', {
          outcome: 'success',
        });
        await store.appendEntries('r3', 1, [sealed], sealOf(sealed));

        const find = async (query: Parameters<Store['findRuns']>[0]) =>
          (await store.findRuns(query)).map(({ runId }) => runId);
        expect(await find({ spaces: [SPACE] })).toEqual(['r3', 'r2', 'r1']);
        expect(await find({ spaces: [SPACE, 'team'] })).toEqual(['r4', 'r3', 'r2', 'r1']);
        expect(await find({ spaces: [SPACE], limit: 2 })).toEqual(['r3', 'r2']);
        expect(await find({ spaces: [SPACE], actor: 'ada' })).toEqual(['r3', 'r1']);
        expect(await find({ spaces: [SPACE], session: 's1', open: true })).toEqual(['r1']);
        expect(await find({ spaces: [SPACE], open: false })).toEqual(['r3']);
        expect(await find({ spaces: [SPACE], chainId: other, actor: 'bob' })).toEqual(['r2']);
        expect(await find({ spaces: ['nowhere'] })).toEqual([]);
        expect(await find({ spaces: [] })).toEqual([]);
        expect(await store.findRun('r9')).toBeNull();
      });
    });

    describe('moving', () => {
      const unlisted = contentOf({ title: 'Not for the list', steps: 1 });
      const other = contentOf({ slug: 'other', title: 'Other', steps: 1 });

      /** A live chain with a history, a deleted one, one that was never listed, an open and a sealed run. */
      async function fill(full: Store): Promise<void> {
        await full.putRevision(revisionOf(unlisted, { listed: false, author: 'bob' }), null);
        await full.putRevision(revisionOf(content, { llmModelId: 'm-1' }), null);
        await full.putRevision(revisionOf(changed, { weakened: 'less' }), digest(content));
        await full.putRevision(
          revisionOf(content, { createdAt: '2026-03-01T00:00:00.000Z' }),
          digest(changed),
        );
        await full.putRevision(revisionOf(other, { space: 'team' }), null);
        await full.deleteChain(chainId('team', 'other'));
        await full.putRevision(revisionOf(other, { listed: false }), null);
        await full.rate(id, digest(changed), 'failure', -0.25);
        await full.rate(id, digest(content), 'success', 0.1);
        await full.rate(id, digest(content), 'success', 0.2);
        await full.createRun('r1', 1, [begun('r1', { session: 's1' })]);
        const shown = next(begun('r2'), 'step.shown', { nonce_sha256: 'n2' });
        await full.createRun('r2', 2, [begun('r2'), shown]);
        const sealed = next(shown, 'run.sealed', { outcome: 'success' });
        await full.appendEntries('r2', 2, [sealed], sealOf(sealed));
      }

      async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
        const found: T[] = [];
        for await (const record of records) found.push(record);
        return found;
      }

      it('hands over every chain by id, whatever became of it', async () => {
        await fill(store);
        const chains = await collect(store.exportChains());
        const ids = chains.map((chain) => chain.chainId);
        expect(ids).toEqual([id, chainId('team', 'other'), chainId(SPACE, 'other')].toSorted());
        expect(chains.find((chain) => chain.chainId === id)).toEqual({
          chainId: id,
          space: SPACE,
          head: 3,
          revisions: [
            { ...stored(unlisted), number: 0, author: 'bob' },
            { ...stored(content), number: 1, llmModelId: 'm-1' },
            { ...stored(changed), number: 2, weakened: 'less' },
            { ...stored(content), number: 3, createdAt: '2026-03-01T00:00:00.000Z' },
          ],
          quality: [
            { digest: digest(content), runs: 2, successes: 2, bonus: 0.1 + 0.2 },
            { digest: digest(changed), runs: 1, successes: 0, bonus: -0.25 },
          ].toSorted((a, b) => (a.digest < b.digest ? -1 : 1)),
        });
        expect(chains.find((chain) => chain.space === 'team')).toEqual({
          chainId: chainId('team', 'other'),
          space: 'team',
          head: null,
          revisions: [{ ...stored(other, 'team'), number: 1 }],
          quality: [],
        });
        expect(chains.find((chain) => chain.chainId === chainId(SPACE, 'other'))).toMatchObject({
          head: null,
          revisions: [{ number: 0 }],
        });
        for (const chain of chains) expect(await store.chainRecord(chain.chainId)).toEqual(chain);
        expect(await store.chainRecord(chainId(SPACE, 'nothing'))).toBeNull();
      });

      it('hands over every run by its number, and says which run has a number', async () => {
        await fill(store);
        const shown = next(begun('r2'), 'step.shown', { nonce_sha256: 'n2' });
        const sealed = next(shown, 'run.sealed', { outcome: 'success' });
        expect(await collect(store.exportRuns())).toEqual([
          { runId: 'r1', storeSeq: 1, entries: [begun('r1', { session: 's1' })], seal: null },
          { runId: 'r2', storeSeq: 2, entries: [begun('r2'), shown, sealed], seal: sealOf(sealed) },
        ]);
        expect(await store.runAt(2)).toBe('r2');
        expect(await store.runAt(3)).toBeNull();
      });

      it('hands over nothing when it is empty, nor what a lost race left behind', async () => {
        expect(await store.putRevision(revisionOf(content), digest(changed))).toBe('conflict');
        expect(await collect(store.exportChains())).toEqual([]);
        expect(await collect(store.exportRuns())).toEqual([]);
        expect(await store.chainRecord(id)).toBeNull();
      });

      it('restores all of it exactly, and behaves as the store that it came from', async () => {
        await fill(store);
        const copy = await makeStore();
        try {
          for await (const chain of store.exportChains()) expect(await copy.restoreChain(chain)).toBe(true);
          for await (const run of store.exportRuns()) expect(await copy.restoreRun(run)).toBe(true);
          expect(await collect(copy.exportChains())).toEqual(await collect(store.exportChains()));
          expect(await collect(copy.exportRuns())).toEqual(await collect(store.exportRuns()));

          for (const which of [id, chainId('team', 'other'), chainId(SPACE, 'other')]) {
            expect(await copy.head(which)).toEqual(await store.head(which));
            expect(await copy.quality(which)).toEqual(await store.quality(which));
            expect(await copy.resolveStep(stepUuid(which, 1))).toEqual({ chainId: which, index: 1 });
          }
          expect(await copy.resolveStep(stepUuid(id, 3))).toEqual({ chainId: id, index: 3 });
          expect(await copy.listChains([SPACE, 'team'])).toEqual(await store.listChains([SPACE, 'team']));
          expect(await copy.listSpaces()).toEqual(await store.listSpaces());
          const plants = { query: 'plants', limit: 10, spaces: [SPACE] };
          expect(await copy.searchChains(plants)).toEqual(await store.searchChains(plants));
          expect(await copy.findRuns({ spaces: [SPACE] })).toEqual(await store.findRuns({ spaces: [SPACE] }));
          expect(await copy.lastRun()).toEqual(await store.lastRun());
          expect(await copy.findRunByNonce('n2')).toBe('r2');

          expect(await copy.putRevision(revisionOf(changed), digest(content))).toBe('stored');
          expect(await copy.head(id)).toMatchObject({ number: 4 });
          await copy.rate(id, digest(changed), 'success', 1);
          expect(await copy.quality(id)).toMatchObject({ runs: 4, successes: 3 });
          const second = next(begun('r1', { session: 's1' }), 'step.shown', { nonce_sha256: 'n1' });
          expect(await copy.appendEntries('r1', 1, [second])).toBe(true);
          await expect(
            copy.appendEntries('r2', 3, [next(sealedOf('r2'), 'step.shown')]),
          ).rejects.toMatchObject({ code: 'INTERNAL' });
        } finally {
          await copy.close();
        }
      });

      it('restores sums of bonuses to the last digit', async () => {
        await store.putRevision(revisionOf(content), null);
        for (const bonus of [0.1, 0.2, -0.3]) await store.rate(id, digest(content), 'success', bonus);
        const record = (await store.chainRecord(id))!;
        expect(record.quality[0]?.bonus).toBe(0.1 + 0.2 - 0.3);
        const copy = await makeStore();
        await copy.restoreChain(record);
        expect(await copy.chainRecord(id)).toEqual(record);
        await copy.close();
      });

      it('restores nothing over what is there', async () => {
        await fill(store);
        const before = [await collect(store.exportChains()), await collect(store.exportRuns())];
        const chain = await store.chainRecord(id);
        expect(await store.restoreChain(chain!)).toBe(false);
        expect(await store.restoreChain({ ...chain!, head: null, quality: [] })).toBe(false);
        expect(await store.restoreRun({ runId: 'r1', storeSeq: 9, entries: [begun('r1')], seal: null })).toBe(
          false,
        );
        expect(await store.restoreRun({ runId: 'r9', storeSeq: 2, entries: [begun('r9')], seal: null })).toBe(
          false,
        );
        expect([await collect(store.exportChains()), await collect(store.exportRuns())]).toEqual(before);
      });

      it('prunes a sealed run to its tombstone, and nothing else', async () => {
        await fill(store);
        const last = sealedOf('r2');
        const text = await tombstone('r2', last);
        expect(await store.pruneRun('r1', begun('r1').hash, text)).toBe(false);
        expect(await store.pruneRun('r2', 'f'.repeat(64), text)).toBe(false);
        expect(await store.readEntries('r2')).toHaveLength(3);
        expect(await store.addNote('r1', 'open')).toBe(false);
        expect(await store.addNote('r2', 'one')).toBe(true);
        const before = await store.findRun('r2');
        expect(await store.pruneRun('r2', last.hash, text)).toBe(true);
        expect(await store.pruneRun('r2', last.hash, text)).toBe(false);
        expect(await store.findRun('r2')).toEqual({ ...before, tombstone: text });
        expect(await store.findRuns({ spaces: [SPACE], idPrefix: 'r2' })).toEqual([
          { ...before, tombstone: text },
        ]);
        expect(await store.readEntries('r2')).toEqual([]);
        expect(await store.readLines('r2')).toEqual([]);
        expect(await store.readSeal('r2')).toBeNull();
        expect(await store.findRunByNonce('n2')).toBeNull();
        expect(await store.lastRun()).toEqual({ storeSeq: 2, head: last.hash });
        expect(await store.addNote('r2', 'two')).toBe(true);
        expect(await store.readNotes('r2')).toEqual(['one', 'two']);
        expect(await store.readEntries('r1')).toHaveLength(1);

        const pruned = (await collect(store.exportRuns()))[1]!;
        expect(pruned).toEqual({
          runId: 'r2',
          storeSeq: 2,
          entries: [],
          seal: null,
          tombstone: text,
          notes: ['one', 'two'],
        });
        const copy = await makeStore();
        try {
          expect(await copy.restoreRun(pruned)).toBe(true);
          expect(await copy.restoreRun(pruned)).toBe(false);
          expect(await collect(copy.exportRuns())).toEqual([pruned]);
          expect(await copy.findRun('r2')).toEqual(await store.findRun('r2'));
          expect(await copy.findRuns({ spaces: [SPACE], open: false })).toHaveLength(1);
          expect(await copy.lastRun()).toEqual({ storeSeq: 2, head: last.hash });
        } finally {
          await copy.close();
        }
      });

      it('restores no run whose entries or seal do not fit, and keeps nothing of it', async () => {
        const first = begun('r1');
        const second = next(first, 'step.shown');
        const seal = { seal: { ...sealOf(second).seal, count: 3 } };
        for (const run of [
          { runId: 'r1', storeSeq: 1, entries: [first, { ...second, prev: GENESIS_HASH }], seal: null },
          { runId: 'r1', storeSeq: 1, entries: [second], seal: null },
          { runId: 'r2', storeSeq: 1, entries: [first], seal: null },
          { runId: 'r1', storeSeq: 1, entries: [first, second], seal },
        ]) {
          await expect(store.restoreRun(run)).rejects.toMatchObject({ code: 'INTERNAL' });
        }
        expect(await collect(store.exportRuns())).toEqual([]);
        expect(
          await store.restoreRun({ runId: 'r1', storeSeq: 5, entries: [first, second], seal: null }),
        ).toBe(true);
        expect(await store.lastRun()).toEqual({ storeSeq: 5, head: second.hash });
      });

      function stored(of: typeof content, space = SPACE) {
        const { listed: _, ...revision } = revisionOf(of, { space });
        return revision;
      }
      function sealedOf(runId: string) {
        return next(next(begun(runId), 'step.shown', { nonce_sha256: 'n2' }), 'run.sealed', {
          outcome: 'success',
        });
      }
    });
  });
}
