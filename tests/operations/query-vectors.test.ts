import { beforeEach, describe, expect, it } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { queryVectors } from '../../src/operations/chain-vectors.ts';
import { indexChains } from '../../src/operations/index-chains.ts';
import { mint } from '../../src/operations/mint.ts';
import { search } from '../../src/operations/search.ts';
import type { Embedder } from '../../src/search/embedding/embedder.ts';
import { openEmbedders } from '../../src/search/embedding/embedders.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';

const NOTE = 'Searched by words only: the embedding provider did not respond.';
const failure = new KairosError('EMBEDDING_FAILED', 'down');
/** The first number tells whether a text is about bread, in either language. */
const bread: Embedder = {
  name: 'test:bread',
  batchSize: 8,
  embed: async (texts) => texts.map((text) => Float32Array.of(/bread|pain|bake/i.test(text) ? 1 : 0, 0.1)),
};
const calibrate = async () => ({ dimensions: 2, floor: 0.3, ceiling: 0.9 });

let ctx: TestContext;
let answer: Embedder['embed'];
beforeEach(async () => {
  ctx = await makeContext();
  await mint(ctx, { markdown_doc: `# Bake bread\n\nDough.\n\n${stepOf('Mix', 'Mix it.', null)}` });
  await mint(ctx, { markdown_doc: `# Wash a car\n\nSoap.\n\n${stepOf('Rinse', 'Rinse it.', null)}` });
  await indexChains(ctx.store, bread, { calibrate });
  answer = bread.embed;
  const embedder: Embedder = { ...bread, embed: (...given) => answer(...given) };
  ctx.embedders = {
    configured: async () => embedder,
    named: async (name) => (name === bread.name ? embedder : null),
  };
});

describe('search with an embedding provider', () => {
  it('finds by meaning what no word finds', async () => {
    const { choices } = await search(ctx, { query: 'comment faire du pain' });
    expect(choices.map(({ chain_label, role }) => [chain_label, role])).toEqual([
      ['Bake bread', 'match'],
      ['Refine a search', 'refine'],
      ['Create a protocol', 'create'],
    ]);
  });

  it('asks for one vector for each phrasing', async () => {
    const asked: (readonly string[])[] = [];
    answer = async (texts, kind) => {
      asked.push([...texts, kind]);
      return bread.embed(texts, kind);
    };
    const { vectors } = await queryVectors(ctx, ' Make bread | do it | ');
    expect(asked).toEqual([['Make bread', 'do it', 'query']]);
    expect(vectors).toEqual({
      model: { model: 'test:bread#2', dimensions: 2, floor: 0.3, ceiling: 0.9 },
      stretches: [[Float32Array.of(1, 0.1)], [Float32Array.of(0, 0.1)]],
    });
  });

  it('searches by words and reports it when the provider is down, and pauses its requests for a while', async () => {
    let asked = 0;
    answer = async () => {
      asked += 1;
      throw failure;
    };
    const found = await search(ctx, { query: 'bake some bread' });
    expect(found).toMatchObject({ chain_label: 'Bake bread', message: `One protocol matches. ${NOTE}` });
    expect((await search(ctx, { query: 'nothing' })).message).toMatch(NOTE);
    expect(asked).toBe(1);
    ctx.clock.advance(31_000);
    await search(ctx, { query: 'bake' });
    expect(asked).toBe(2);
  });

  it('reports that the provider is not set up, without naming the settings', async () => {
    ctx.embedders = openEmbedders({ provider: 'openai-compatible', model: null, url: null, apiKey: null });
    const note =
      'Searched by words only: the embedding provider is not set up completely; `kairos doctor` shows what is missing.';
    expect(await queryVectors(ctx, 'bread')).toEqual({ note });
    expect(await queryVectors(ctx, 'cake')).toEqual({ note });
  });

  it('does not wait for a slow provider', async () => {
    answer = () => new Promise(() => {});
    expect(await queryVectors(ctx, 'bread', 5)).toEqual({ note: NOTE });
  });

  it('searches by words when no embedder makes vectors of the model in use, or makes others', async () => {
    answer = async (texts) => texts.map(() => Float32Array.of(1));
    expect(await queryVectors(ctx, 'bread')).toEqual({ note: NOTE });
    await indexChains(ctx.store, { ...bread, name: 'test:gone' }, { calibrate });
    expect(await queryVectors(ctx, 'bread')).toEqual({ note: NOTE });
  });

  it('reports nothing without a reason', async () => {
    expect(await queryVectors(ctx, '  |  ')).toEqual({});
    await ctx.store.useVectorModel(null);
    expect(await queryVectors(ctx, 'bread')).toEqual({});
    const { embedders: _, ...without } = ctx;
    expect(await queryVectors(without, 'bread')).toEqual({});
  });

  it('reports a fault in kairos itself', async () => {
    answer = async () => {
      throw new TypeError('a fault');
    };
    await expect(queryVectors(ctx, 'bread')).rejects.toThrow('a fault');
  });
});
