import * as fc from 'fast-check';
import { exportLines, storedRecords } from '../../../src/operations/moving/export.ts';
import { type MoveOptions, type MoveReport, moveInto } from '../../../src/operations/moving/move.ts';
import { readExport } from '../../../src/operations/moving/read-export.ts';
import type { Trailer } from '../../../src/operations/moving/record.ts';
import { chainId, digest } from '../../../src/protocol/identity.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port.ts';
import { begun, contentOf, next, revisionOf } from '../../store/builders.ts';

/** An empty store in memory. */
export const emptyStore = (): Promise<Store> => openStore({ location: ':memory:', dataDir: '/nonexistent' });

/** A store as `kairos store export` writes it. */
export async function exported(
  store: Store,
  space?: string,
): Promise<{ text: string; trailer: Trailer | null }> {
  let trailer: Trailer | null = null;
  let text = '';
  for await (const line of exportLines(storedRecords(store, { space }), (found) => {
    trailer = found;
  }))
    text += line;
  return { text, trailer };
}

/** Imports a text; by default as the command does without options. */
export function imported(
  store: Store,
  text: string | Uint8Array,
  options: Partial<MoveOptions> = {},
): Promise<MoveReport> {
  const bytes = Buffer.from(text as Uint8Array);
  // In pieces that end anywhere, as streams come.
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  }
  return moveInto(store, () => readExport(pieces(), 'x.jsonl'), {
    onConflict: 'fail',
    dryRun: false,
    ...options,
  });
}

/** Something that was done to a store; runs are numbered as they come. */
export type Deed =
  | { do: 'put'; slug: string; title: string; space: string; listed: boolean }
  | { do: 'delete'; slug: string; space: string }
  | { do: 'rate'; slug: string; space: string; title: string; outcome: 'success' | 'failure'; bonus: number }
  | { do: 'run'; entries: number };

const slug = fc.constantFrom('alpha', 'beta', 'gamma');
const space = fc.constantFrom('personal', 'team');
const title = fc.oneof(fc.constantFrom('One', 'Two', '植物 🌱'), fc.string({ unit: 'grapheme' }));

export const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('put' as const), slug, title, space, listed: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), slug, space }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('rate' as const),
        slug,
        space,
        title,
        outcome: fc.constantFrom('success' as const, 'failure' as const),
        // What `attest` records: rounded to a thousandth.
        bonus: fc.integer({ min: -1000, max: 1000 }).map((thousandths) => thousandths / 1000),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('run' as const), entries: fc.nat(3) }) },
  ),
  { maxLength: 14 },
);

/** Does all of it, in order; what a store refuses is left out. */
export async function perform(store: Store, history: readonly Deed[], prefix = 'run'): Promise<void> {
  for (const [at, deed] of history.entries()) {
    if (deed.do === 'run') await beginRun(store, `${prefix}-${at}`, deed.entries);
    else {
      const id = chainId(deed.space, deed.slug);
      if (deed.do === 'delete') await store.deleteChain(id);
      else {
        const content = contentOf({ slug: deed.slug, title: deed.title });
        if (deed.do === 'put') {
          const head = await store.head(id);
          const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
          await store.putRevision(
            revisionOf(content, { space: deed.space, listed: deed.listed, createdAt }),
            head?.digest ?? null,
          );
        } else await store.rate(id, digest(content), deed.outcome, deed.bonus);
      }
    }
  }
}

/** A run of so many entries beyond its first. */
export async function beginRun(store: Store, runId: string, more = 0): Promise<void> {
  const pinned = revisionOf(contentOf(), { listed: false });
  if ((await store.revisionByDigest(pinned.chainId, pinned.digest)) === null)
    await store.putRevision(pinned, null);
  const entries = [begun(runId)];
  for (let at = 0; at < more; at += 1) {
    entries.push(next(entries.at(-1)!, 'step.shown', { station: 0, nonce_sha256: `${runId}-${at}` }));
  }
  await store.createRun(runId, ((await store.lastRun())?.storeSeq ?? 0) + 1, entries);
}
