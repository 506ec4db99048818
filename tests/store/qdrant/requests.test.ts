import { afterEach, beforeEach, expect, it } from 'vitest';
import { confinedTo } from '../../../src/host/store.ts';
import { attest } from '../../../src/operations/attest.ts';
import { begin } from '../../../src/operations/begin.ts';
import { mint } from '../../../src/operations/mint.ts';
import { next } from '../../../src/operations/next.ts';
import { search } from '../../../src/operations/search.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';
import { withIntactContents } from '../../../src/store/intact.ts';
import { withReserved } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port.ts';
import { openQdrantStore } from '../../../src/store/qdrant/store.ts';
import { makeContext, type TestContext } from '../../support/context.ts';
import { protocolOf } from '../../support/protocols.ts';
import { type QdrantDouble, startDouble } from '../../support/qdrant-double/server.ts';

/** How often a call asks the server, once a process knows that the collection is there. */
let double: QdrantDouble;
beforeEach(async () => {
  double = await startDouble({ isDirect: true });
});
afterEach(async () => {
  expect(double.violations).toEqual([]);
  await double.close();
});

async function contextOn(narrow: (store: Store) => Store = (store) => store): Promise<TestContext> {
  const store = withReserved(withIntactContents(await openQdrantStore(double.address())));
  await store.listSpaces();
  await store.searchChains({ query: 'warm', limit: 1, spaces: ['default'] });
  return makeContext({ store: narrow(store) });
}

async function counted<T>(call: Promise<T>): Promise<[answer: T, requests: string[]]> {
  const before = double.requests.length;
  const answer = await call;
  return [answer, double.requests.slice(before).map((one) => one.replace(/collections\/[^/]+\//, ''))];
}

const READ = 'POST /points/scroll';
const WRITE = 'PUT /points';
const READ_BACK = 'POST /points';
const KINDS = ['comment', 'comment', 'none'] as const;
const text = (of: string) => ({
  type: 'comment',
  comment: { text: `All ${of} were counted and are there.` },
});

it.each([
  ['', (store: Store) => store],
  [' of a server that is confined to a space', (store: Store) => confinedTo('default', store)],
])('steps of a run%s cost one read, one write and one read back', async (_, narrow) => {
  const ctx = await contextOn(narrow);
  const { items } = await mint(ctx, { markdown_doc: protocolOf(KINDS, 'Count parts') });
  const { uri } = items[0]!;
  await begin(ctx, { uri });
  const [begun, atBegin] = await counted(begin(ctx, { uri }) as Promise<RunFields>);
  expect(atBegin.length).toBeLessThanOrEqual(6);
  const solution = {
    ...text('screws'),
    nonce: begun.challenge!.nonce,
    proof_hash: begun.challenge!.proof_hash,
  };
  const [second, atStep] = await counted(next(ctx, { uri, run_id: begun.run_id!, solution }));
  expect(second.current_step?.uri).toBe(items[1]!.uri);
  expect(atStep).toEqual([READ, WRITE, READ_BACK]);

  // The same without run_id: the nonce names the run.
  const { nonce, proof_hash } = second.challenge!;
  const [third, byNonce] = await counted(
    next(ctx, { uri: items[1]!.uri, solution: { ...text('nails'), nonce, proof_hash } }),
  );
  expect(third.current_step?.uri).toBe(items[2]!.uri);
  expect(byNonce).toEqual([READ, WRITE, READ_BACK]);

  const [sealed, atAttest] = await counted(
    attest(ctx, { uri, outcome: 'success', message: 'All parts were counted.', run_id: begun.run_id! }),
  );
  expect(sealed.total_rated).toBe(1);
  expect(atAttest.length).toBeLessThanOrEqual(7);
});

it('another process continues a run, and asks again only for what it has not seen', async () => {
  const ctx = await contextOn();
  const { items } = await mint(ctx, { markdown_doc: protocolOf(KINDS, 'Count parts') });
  const { uri } = items[0]!;
  const begun = (await begin(ctx, { uri })) as RunFields;
  const other = await contextOn();
  const solve = (
    on: TestContext,
    step: number,
    { nonce, proof_hash }: { nonce: string; proof_hash: string },
  ) =>
    next(on, {
      uri: items[step]!.uri,
      run_id: begun.run_id!,
      solution: { ...text(`parts ${step}`), nonce, proof_hash },
    });
  const [second, first] = await counted(solve(other, 0, begun.challenge as never));
  expect(second.error_code).toBeUndefined();
  expect(first.length).toBeLessThanOrEqual(6);
  // What the first process knows of the end is outdated; it reads, and loses nothing.
  const [third, again] = await counted(solve(ctx, 1, second.challenge as never));
  expect(third.error_code).toBeUndefined();
  expect(third.current_step?.uri).toBe(items[2]!.uri);
  expect(again).toEqual([READ, WRITE, READ_BACK]);
  const kinds = (await ctx.store.readEntries(begun.run_id!)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'proof.accepted')).toHaveLength(2);
});

it('a search asks three times at most, and twice where it knows all words and protocols', async () => {
  const ctx = await contextOn();
  for (const title of ['Count parts', 'Roll back a release', 'Rotate certificates', 'Release parts'])
    await mint(ctx, { markdown_doc: protocolOf(KINDS, title) });
  const fresh = await contextOn();
  for (const [query, cold, warm] of [
    ['count parts', 3, 2],
    ['rotate the certificates', 3, 2],
    ['rollback of a relase | turn the certificate', 4, 3],
    ['nothing of this kind whatsoever', 4, 3],
  ] as const) {
    const [answer, first] = await counted(search(fresh, { query }));
    expect([query, first.length <= cold]).toEqual([query, true]);
    const [again, second] = await counted(search(fresh, { query }));
    expect([query, second.length <= warm]).toEqual([query, true]);
    expect(again).toEqual(answer);
  }
});
