import { beforeEach, describe, expect, it } from 'vitest';
import { mint } from '../../src/operations/mint.ts';
import { chainId } from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';
import { orDamaged, withIntactContents } from '../../src/store/intact.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';

const ID = chainId('default', 'water-the-plants');
let raw: Store;
let digest: string;
beforeEach(async () => {
  raw = await openStore({ location: ':memory:', dataDir: '/nonexistent' });
  await mint(await makeContext({ store: raw }), {
    markdown_doc: protocolOf(['shell', 'comment'], 'Water the plants'),
  });
  digest = (await raw.head(ID))!.digest;
});

/** The store as somebody leaves it who can write its file, behind the rule. */
function holding(content: unknown): Store {
  const other = <T extends { content: ChainContent } | null>(revision: T) =>
    revision === null ? revision : { ...revision, content: content as ChainContent };
  return withIntactContents({
    ...raw,
    head: async (id) => other(await raw.head(id)),
    headBySlug: async (space, slug) => other(await raw.headBySlug(space, slug)),
    revisionByDigest: async (id, hash) => other(await raw.revisionByDigest(id, hash)),
    revisions: async (id) => (await raw.revisions(id)).map(other),
    chainRecord: async (id) => {
      const record = await raw.chainRecord(id);
      return record && { ...record, revisions: record.revisions.map(other) };
    },
  });
}

const READS: [string, (store: Store) => Promise<unknown>][] = [
  ['head', (store) => store.head(ID)],
  ['headBySlug', (store) => store.headBySlug('default', 'water-the-plants')],
  ['revisionByDigest', (store) => store.revisionByDigest(ID, digest)],
  ['revisions', (store) => store.revisions(ID)],
  ['chainRecord', (store) => store.chainRecord(ID)],
];

describe('the revisions of a store', () => {
  it.each(READS)('%s: returned while it hashes to its digest, refused otherwise', async (_, read) => {
    const { content } = (await raw.head(ID))!;
    expect(await read(holding(content))).toEqual(await read(raw));
    const [first, second] = content.steps;
    const changed = [
      { ...content, steps: [first!, { ...second!, block: null }] },
      { ...content, slug: 'other' },
      {},
      null,
      // Texts and numbers that have no hash.
      { ...content, title: '\ud800' },
      { ...content, title: Number.POSITIVE_INFINITY },
    ];
    for (const one of changed) {
      const refused = await read(holding(one)).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'STORE_DAMAGED', message: expect.stringContaining(digest) });
      expect(await orDamaged(read(holding(one)))).toBe('damaged');
    }
  });

  it('is null where there is nothing', async () => {
    const store = holding({});
    expect(await store.head('other')).toBeNull();
    expect(await store.chainRecord('other')).toBeNull();
    expect(await store.revisions('other')).toEqual([]);
  });

  it('leaves other errors unchanged', async () => {
    const down = new Error('down');
    await expect(orDamaged(Promise.reject(down))).rejects.toBe(down);
  });
});
