import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProtocols, readQueries, toContent } from '../../../bench/search/corpus.mjs';
import { chainId, deriveSlug, digest } from '../../../src/protocol/identity.ts';
import { parseQuery } from '../../../src/search/words.ts';
import type { Store } from '../../../src/store/port.ts';
import { RETRY_POLICY } from '../../../src/store/qdrant/failures.ts';
import { openQdrantStore } from '../../../src/store/qdrant/store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { PROTOCOLS } from '../../search/fixtures/protocols.ts';
import { type Fault, type QdrantDouble, startDouble } from '../../support/qdrant-double/server.ts';
import { runs, THOROUGH } from '../../support/thorough.ts';
import { begun, contentOf, next, revisionOf, SPACE, sealOf } from '../builders.ts';

let double: QdrantDouble;
/** Without faults: these need no connection. */
let direct: QdrantDouble;
let addresses = 0;
beforeAll(async () => {
  double = await startDouble();
  direct = await startDouble({ isDirect: !THOROUGH });
});
afterAll(async () => {
  for (const each of [double, direct]) {
    expect(each.violations).toEqual([]);
    await each.close();
  }
});

const CONTENTS = [1, 2, 3].map((steps) => contentOf({ steps, title: `Water ${steps} plants` }));
const ID = chainId(SPACE, CONTENTS[0]?.slug ?? '');

/** One call of a store; what it answers must not depend on the store. */
type Act = (store: Store) => Promise<unknown>;

const content = fc.constantFrom(...CONTENTS);
const run = fc.constantFrom('r1', 'r2');
const act = fc.oneof(
  fc.record({ content, expected: fc.option(content), listed: fc.boolean() }).map(
    ({ content, expected, listed }): Act =>
      (store) =>
        store.putRevision(revisionOf(content, { listed }), expected === null ? null : digest(expected)),
  ),
  fc.constant<Act>(async (store) => {
    // The usual way: over the head that stands.
    const head = await store.head(ID);
    const other = CONTENTS.find((one) => digest(one) !== head?.digest) ?? CONTENTS[0];
    return other && store.putRevision(revisionOf(other), head?.digest ?? null);
  }),
  fc.constant<Act>((store) => store.deleteChain(ID)),
  fc
    .record({
      content,
      success: fc.boolean(),
      bonus: fc.integer({ min: -8, max: 8 }).map((quarters) => quarters / 4),
    })
    .map(
      ({ content, success, bonus }): Act =>
        (store) =>
          store.rate(ID, digest(content), success ? 'success' : 'failure', bonus),
    ),
  run.map(
    (runId): Act =>
      async (store) => {
        const seq = ((await store.lastRun())?.storeSeq ?? 0) + 1;
        if ((await store.findRun(runId)) !== null) return 'there';
        return store.createRun(runId, seq, [
          begun(runId),
          next(begun(runId), 'step.shown', { nonce_sha256: `n-${runId}` }),
        ]);
      },
  ),
  fc.record({ run, more: fc.integer({ min: 1, max: 3 }), late: fc.boolean(), seal: fc.boolean() }).map(
    ({ run: runId, more, late, seal }): Act =>
      async (store) => {
        const entries = await store.readEntries(runId);
        const last = entries.at(-1);
        if (last === undefined) return store.appendEntries(runId, 0, []);
        const added = [];
        for (let at = 0, before = last; at < more; at += 1) {
          const sealing = seal && at === more - 1;
          before = next(
            before,
            sealing ? 'run.sealed' : 'proof.accepted',
            sealing ? { outcome: 'success' } : { at },
          );
          added.push(before);
        }
        const expected = late ? entries.length - 1 : entries.length;
        const end = added.at(-1);
        return store.appendEntries(runId, expected, added, seal && end ? sealOf(end) : undefined);
      },
  ),
);

/** Everything that can be seen of the chain and the runs. */
async function look(store: Store): Promise<unknown> {
  const records: unknown[] = [];
  for await (const chain of store.exportChains()) records.push(chain);
  for await (const one of store.exportRuns()) records.push(one);
  return {
    records,
    head: await store.head(ID),
    revisions: await store.revisions(ID),
    quality: await store.quality(ID),
    list: await store.listChains([SPACE]),
    spaces: await store.listSpaces(),
    found: await store.searchChains({ query: 'water the plants', limit: 5, spaces: [SPACE] }),
    open: await store.findRuns({ spaces: [SPACE], open: true }),
    sealed: await store.findRuns({ spaces: [SPACE], open: false }),
    last: await store.lastRun(),
    nonce: await store.findRunByNonce('n-r1'),
    lines: await store.readLines('r1'),
    steps: await Promise.all(['r1', 'r2'].map((id) => store.readSeal(id))),
  };
}

async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

describe('against the embedded store', () => {
  it('returns the same for any sequence of calls, with any faults on the way', {
    timeout: 600_000,
  }, async () => {
    const faults = fc.infiniteStream(
      fc.oneof(
        { weight: 9, arbitrary: fc.constant(null) },
        fc.constantFrom<Fault>(
          { kind: 'reset' },
          { kind: 'lost' },
          { kind: 'torn' },
          { kind: 'status', status: 503 },
          { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), faults, async (acts, stream) => {
        addresses += 1;
        const retry = { ...RETRY_POLICY, attempts: 50, firstDelayMs: 0.1, longestDelayMs: 0.1 };
        const qdrant = await openQdrantStore(double.address(`m${addresses}`), { retry });
        const sqlite = await openSqliteStore(':memory:');
        for (const one of acts) {
          double.fault = () => stream.next().value;
          const answer = await outcome(one(qdrant));
          double.fault = () => null;
          expect(answer).toEqual(await outcome(one(sqlite)));
        }
        expect(await look(qdrant)).toEqual(await look(sqlite));
        await qdrant.close();
        await sqlite.close();
        double.state.collections.clear();
      }),
      { numRuns: runs(40) },
    );
  });

  it('finds the same chains with the same scores', { timeout: 600_000 }, async () => {
    const qdrant = await openQdrantStore(direct.address('search'));
    const sqlite = await openSqliteStore(':memory:');
    for (const one of PROTOCOLS) {
      await qdrant.putRevision(revisionOf(one), null);
      await sqlite.putRevision(revisionOf(one), null);
    }
    const words = PROTOCOLS.flatMap(({ title, description }) => `${title} ${description}`.split(/\s+/));
    const word = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...words) },
      fc.constantFrom(...words).map((one) => one.slice(1)),
      fc.constantFrom(...words).map((one) => `${one}ing`),
      fc.constantFrom('|', 'the', 'how', 'zzzz'),
    );
    const query = fc.array(word, { minLength: 1, maxLength: 6 }).map((list) => list.join(' '));
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const request = { query: asked, limit: 10, spaces: [SPACE] };
        expect(await qdrant.searchChains(request)).toEqual(await sqlite.searchChains(request));
      }),
      { numRuns: runs(200) },
    );
    await qdrant.close();
    await sqlite.close();
  });

  it('finds the same over the corpus of the benchmark, by words and by meaning', {
    timeout: 600_000,
  }, async () => {
    const stores = [
      await openQdrantStore(direct.address('corpus')),
      await openSqliteStore(':memory:'),
    ] as const;
    const model = { model: 'test:random#1', dimensions: 8, floor: 0.3, ceiling: 0.8 };
    const vectorOf = (text: string) =>
      Float32Array.from(createHash('sha256').update(text).digest().subarray(0, 8), (byte) => byte - 127.5);
    for (const store of stores) {
      await store.addVectorModel(model);
      for (const protocol of readProtocols().filter((_, at) => THOROUGH || at % 4 === 0)) {
        await store.putRevision(revisionOf(toContent(protocol, deriveSlug(protocol.title))), null);
      }
      const without = await store.chainsWithoutVector(model.model, 10_000);
      await store.putVectors(
        model.model,
        without.map(({ chainId, digest, content }) => ({
          chainId,
          digest,
          vectors: [content.title, content.slug].map(vectorOf),
        })),
      );
    }
    // Every tenth or thirtieth: each asks the double a dozen times, and each request is checked.
    const queries = Object.values(readQueries()).flatMap((list) => list.map(({ query }) => query));
    for (const query of queries.filter((_, at) => at % (THOROUGH ? 10 : 30) === 0)) {
      const words = { query, limit: 10, spaces: [SPACE] };
      const stretches = parseQuery(query).map(({ key }) => [vectorOf(key), vectorOf(`${key}!`)]);
      for (const request of [words, { ...words, vectors: { model, stretches } }]) {
        const [qdrant, sqlite] = await Promise.all(stores.map((store) => store.searchChains(request)));
        expect([query, qdrant]).toEqual([query, sqlite]);
      }
    }
    for (const store of stores) await store.close();
  });
});
