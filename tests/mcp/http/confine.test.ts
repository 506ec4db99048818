import { beforeEach, describe, expect, it } from 'vitest';
import { confinedTo } from '../../../src/host/store.ts';
import { begin } from '../../../src/operations/begin.ts';
import { mint } from '../../../src/operations/mint.ts';
import { RESERVED_CREATE_ID, stepUri } from '../../../src/protocol/identity.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';
import type { Store } from '../../../src/store/port.ts';
import { as, makeContext, type TestContext } from '../../support/context.ts';
import { protocolOf } from '../../support/protocols.ts';

let ctx: TestContext;
let other: { chainId: string; digest: string; runId: string; uuid: string };
let confined: Store;
beforeEach(async () => {
  ctx = await makeContext();
  const elsewhere = as(ctx, { space: 'other' });
  await mint(ctx, { markdown_doc: protocolOf(['none'], 'Ours') });
  const { items } = await mint(elsewhere, { markdown_doc: protocolOf(['none'], 'Theirs') });
  const begun = (await begin(elsewhere, { uri: items[0]!.uri })) as RunFields;
  const run = (await ctx.store.findRun(begun.run_id!))!;
  other = { chainId: run.chainId, digest: run.digest, runId: run.runId, uuid: items[0]!.memory_uuid };
  confined = confinedTo('default', ctx.store);
});

describe('a store confined to a space', () => {
  it('has nothing of another one', async () => {
    expect(await confined.head(other.chainId)).toBeNull();
    expect(await confined.headBySlug('other', 'theirs')).toBeNull();
    expect(await confined.revisionByDigest(other.chainId, other.digest)).toBeNull();
    expect(await confined.revisions(other.chainId)).toEqual([]);
    expect(await confined.resolveStep(other.uuid)).toBeNull();
    expect(await confined.listChains(['other'])).toEqual([]);
    expect((await confined.listSpaces()).map(({ name }) => name)).toEqual(['default']);
    expect(await confined.searchChains({ query: 'theirs', limit: 5, spaces: ['other'] })).toEqual([]);
    expect(await confined.findRun(other.runId)).toBeNull();
    expect(await confined.findRuns({ spaces: ['other', 'default'] })).toEqual([]);
    expect(await confined.readEntries(other.runId)).toEqual([]);
    expect(await confined.readSeal(other.runId)).toBeNull();
  });

  it('writes nothing to another one', async () => {
    expect(await confined.deleteChain(other.chainId)).toBe(false);
    const own = as({ ...ctx, store: confined }, {});
    await expect(
      mint(own, { markdown_doc: protocolOf(['none'], 'New'), space: 'other' }),
    ).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(await ctx.store.head(other.chainId)).not.toBeNull();
    expect(await ctx.store.headBySlug('other', 'new')).toBeNull();
  });

  it('is otherwise unchanged, including the reserved protocols', async () => {
    const own = as({ ...ctx, store: confined }, {});
    expect(await begin(own, { key: 'ours' })).toMatchObject({ must_obey: true });
    expect(await begin(own, { uri: stepUri(RESERVED_CREATE_ID, 1) })).toMatchObject({ must_obey: true });
    expect(await confined.findRuns({ spaces: ['default'] })).toHaveLength(2);
  });
});
