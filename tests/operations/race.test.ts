import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { untilFirst } from '../../src/operations/context.ts';
import { mint } from '../../src/operations/mint.ts';
import { update } from '../../src/operations/update.ts';
import { chainId } from '../../src/protocol/identity.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';

const ID = chainId('default', 'water-the-plants');
const DOC = protocolOf(['shell', 'comment', 'none'], 'Water the plants');
const TIGHTER = protocolOf(['shell', 'comment', 'comment'], 'Water the plants');
const LONGER = protocolOf(['shell', 'comment', 'none', 'none'], 'Water the plants');

let ctx: TestContext;
let uris: string[];
beforeEach(async () => {
  ctx = await makeContext();
  uris = (await mint(ctx, { markdown_doc: DOC })).items.map(({ uri }) => uri);
});

/** The same, as it is while others write: each of them in the moment before the next of ours. */
function overtaken(...others: (() => Promise<unknown>)[]): TestContext {
  return {
    ...ctx,
    allowWeaken: false,
    store: {
      ...ctx.store,
      putRevision: async (revision, expected) => {
        await others.shift()?.();
        return ctx.store.putRevision(revision, expected);
      },
    },
  };
}
const numbers = async () => (await ctx.store.revisions(ID)).map(({ number }) => number);

describe('untilFirst', () => {
  it('tries as long as others are faster, and not without end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100), async (lost) => {
        let tries = 0;
        const done = await untilFirst(async () => {
          tries += 1;
          return tries <= lost ? ('conflict' as const) : tries;
        });
        expect(done).toBe(lost < 64 ? lost + 1 : null);
        expect(tries).toBe(Math.min(lost + 1, 64));
      }),
    );
  });
});

describe('on a conflict over the head', () => {
  it('update changes a step of the current content', async () => {
    const edit = (at: number, text: string) => () => update(ctx, { uris: [uris[at]!], updates: { text } });
    const late = overtaken(edit(1, 'Second words.'), edit(2, 'Third words.'));
    expect(await update(late, { uris: [uris[0]!], updates: { text: 'First words.' } })).toMatchObject({
      total_updated: 1,
      results: [{ message: expect.stringContaining('revision 4') }],
    });
    const { steps } = (await ctx.store.head(ID))!.content;
    expect(steps.map(({ body }) => body)).toEqual(['First words.', 'Second words.', 'Third words.']);
  });

  it('puts a forced mint on top of it', async () => {
    const late = overtaken(() => mint(ctx, { markdown_doc: LONGER, force_update: true }));
    expect(await mint(late, { markdown_doc: TIGHTER, force_update: true })).toMatchObject({
      status: 'stored',
    });
    expect(await numbers()).toEqual([1, 2, 3]);
    expect((await ctx.store.head(ID))!.content.steps).toHaveLength(3);
  });

  it('is held against what it demands by now', async () => {
    const tighten = () => mint(ctx, { markdown_doc: TIGHTER, force_update: true });
    await expect(
      mint(overtaken(tighten), { markdown_doc: LONGER, force_update: true }),
    ).rejects.toMatchObject({ code: 'READ_ONLY', message: expect.stringContaining('step 3') });
    await mint(ctx, { markdown_doc: DOC, force_update: true });
    const late = overtaken(tighten);
    expect(await update(late, { uris: [uris[0]!], markdown_doc: [LONGER] })).toMatchObject({
      total_failed: 1,
      results: [{ message: expect.stringMatching(/^READ_ONLY: .*step 3/) }],
    });
  });

  it('mint without force is informed of the other content, and of equal content not at all', async () => {
    await ctx.store.deleteChain(ID);
    const late = overtaken(() => mint(ctx, { markdown_doc: TIGHTER }));
    await expect(mint(late, { markdown_doc: DOC })).rejects.toMatchObject({ code: 'DUPLICATE_CHAIN' });
    await ctx.store.deleteChain(ID);
    const same = overtaken(() => mint(ctx, { markdown_doc: TIGHTER }));
    expect(await mint(same, { markdown_doc: TIGHTER })).toMatchObject({ status: 'stored' });
  });

  it('does not find the protocol to be like itself, when it came between two looks', async () => {
    const { store } = ctx;
    await store.deleteChain(ID);
    let isFirst = true;
    const headBySlug = async (space: string, slug: string) => {
      if (!isFirst) return store.headBySlug(space, slug);
      isFirst = false;
      await mint(ctx, { markdown_doc: DOC });
      return null;
    };
    const late = { ...ctx, store: { ...store, headBySlug } };
    expect(await mint(late, { markdown_doc: DOC })).toMatchObject({ status: 'stored' });
    await store.deleteChain(ID);
    isFirst = true;
    await expect(mint(late, { markdown_doc: TIGHTER })).rejects.toMatchObject({ code: 'DUPLICATE_CHAIN' });
  });

  it('gives up a mint in the end', async () => {
    const store = { ...ctx.store, putRevision: async () => 'conflict' as const };
    await expect(mint({ ...ctx, store }, { markdown_doc: LONGER, force_update: true })).rejects.toMatchObject(
      { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('other writers') },
    );
  });

  it('reports that a removed step no longer exists', async () => {
    const shorten = () =>
      mint(ctx, { markdown_doc: protocolOf(['shell', 'comment'], 'Water the plants'), force_update: true });
    const late = overtaken(shorten);
    expect(await update(late, { uris: [uris[2]!], updates: { text: 'Third.' } })).toMatchObject({
      results: [{ message: expect.stringMatching(/^NOT_FOUND: step 3 no longer exists/) }],
    });
    expect(await numbers()).toEqual([1, 2]);
  });
});
