import { QdrantClient } from '@qdrant/js-client-rest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type QdrantDouble, startDouble } from './server.ts';

const A = '00000000-0000-0000-0000-00000000000a';
const B = '00000000-0000-0000-0000-00000000000b';
const C = '00000000-0000-0000-0000-00000000000c';

/** The double, spoken to by the official client. */
let double: QdrantDouble;
let client: QdrantClient;
beforeEach(async () => {
  double = await startDouble();
  client = new QdrantClient({ host: '127.0.0.1', port: double.port, checkCompatibility: false });
  await client.createCollection('c_v1', {
    vectors: { dense: { size: 2, distance: 'Cosine' } },
    sparse_vectors: { bm25: { modifier: 'idf' } },
    strict_mode_config: { enabled: true, unindexed_filtering_retrieve: false, max_query_limit: 100 },
    metadata: { kairos: 1 },
  });
  for (const [field_name, field_schema] of [
    ['kind', 'keyword'],
    ['n', 'integer'],
    ['list', 'keyword'],
  ] as const) {
    await client.createPayloadIndex('c_v1', { field_name, field_schema });
  }
  await client.updateCollectionAliases({
    actions: [{ create_alias: { collection_name: 'c_v1', alias_name: 'c' } }],
  });
});
afterEach(async () => {
  expect(double.violations).toEqual([]);
  await double.close();
});

const put = (id: string, payload: Record<string, unknown>, vector = {}) =>
  client.upsert('c', { wait: true, points: [{ id, payload, vector }] });
const payloads = async () => (await client.scroll('c')).points.map(({ payload }) => payload);

describe('collections and aliases', () => {
  it('answer by either name, and are not made twice', async () => {
    expect(await client.collectionExists('c')).toEqual({ exists: true });
    expect(await client.collectionExists('d')).toEqual({ exists: false });
    expect((await client.getCollection('c')).config.metadata).toEqual({ kairos: 1 });
    await expect(client.createCollection('c_v1', {})).rejects.toMatchObject({ status: 409 });
    await expect(client.getCollection('d')).rejects.toMatchObject({ status: 404 });
    await client.deleteCollection('c_v1');
    expect(await client.collectionExists('c')).toEqual({ exists: false });
  });
});

describe('writing', () => {
  it('insert_only leaves what is there', async () => {
    await put(A, { n: 1 });
    await client.upsert('c', {
      points: [
        { id: A, vector: {}, payload: { n: 2 } },
        { id: B, vector: {}, payload: { n: 3 } },
      ],
      update_mode: 'insert_only',
    });
    expect(await payloads()).toEqual([{ n: 1 }, { n: 3 }]);
  });

  it('update_filter leaves what does not fit, and creates what is missing', async () => {
    await put(A, { n: 1 });
    const write = (id: string, n: number, where: number) =>
      client.upsert('c', {
        points: [{ id, vector: {}, payload: { n } }],
        update_filter: { must: [{ key: 'n', match: { value: where } }] },
      });
    await write(A, 5, 2);
    await write(B, 6, 2);
    expect(await payloads()).toEqual([{ n: 1 }, { n: 6 }]);
    await write(A, 5, 1);
    expect(await payloads()).toEqual([{ n: 5 }, { n: 6 }]);
  });

  it('replaces a payload whole, merges into it, and deletes', async () => {
    await put(A, { n: 1, kind: 'x' });
    await put(A, { n: 2 });
    await client.setPayload('c', { payload: { kind: 'y' }, points: [A, B] });
    expect(await payloads()).toEqual([{ n: 2, kind: 'y' }]);
    await client.delete('c', { points: [A] });
    expect(await payloads()).toEqual([]);
  });

  it('refuses vectors that do not fit the collection', async () => {
    await expect(put(A, {}, { dense: [1] })).rejects.toMatchObject({ status: 400 });
    await expect(put(A, {}, { other: [1] })).rejects.toMatchObject({ status: 400 });
    await expect(put(A, {}, { bm25: { indices: [1, 1], values: [1, 1] } })).rejects.toMatchObject({
      status: 422,
    });
  });
});

describe('reading', () => {
  beforeEach(async () => {
    await put(B, { kind: 'x', n: 3, list: ['p', 'q'] });
    await put(A, { kind: 'x', n: 7, list: ['q'] });
    await put(C, { kind: 'y', n: 3 });
  });
  const ids = async (args: Parameters<QdrantClient['scroll']>[1]) =>
    (await client.scroll('c', args)).points.map(({ id }) => id);

  it('filters by value, list, range and id, and by what must not be', async () => {
    expect(await ids({ filter: { must: { key: 'kind', match: { value: 'x' } } } })).toEqual([A, B]);
    expect(await ids({ filter: { must: [{ key: 'list', match: { any: ['p', 'z'] } }] } })).toEqual([B]);
    expect(await ids({ filter: { must_not: [{ key: 'list', match: { value: 'q' } }] } })).toEqual([C]);
    expect(await ids({ filter: { must: [{ key: 'n', range: { lt: 7, gte: 3 } }] } })).toEqual([B, C]);
    expect(
      await ids({ filter: { should: [{ has_id: [A] }, { key: 'kind', match: { value: 'y' } }] } }),
    ).toEqual([A, C]);
  });

  it('scrolls by id and gives the next id, or by a key without one', async () => {
    expect(await client.scroll('c', { limit: 2, with_payload: false })).toEqual({
      points: [
        { id: A, payload: null },
        { id: B, payload: null },
      ],
      next_page_offset: C,
    });
    expect(await ids({ limit: 2, offset: C })).toEqual([C]);
    expect(await ids({ order_by: { key: 'n', direction: 'desc' } })).toEqual([A, B, C]);
    expect(await ids({ order_by: { key: 'n', direction: 'desc', start_from: 6 }, limit: 1 })).toEqual([B]);
    expect(await ids({ order_by: 'n', limit: 2 })).toEqual([B, C]);
  });

  it('counts, altogether and by value', async () => {
    expect(await client.count('c', { filter: { must: [{ key: 'n', match: { value: 3 } }] } })).toEqual({
      count: 2,
    });
    expect(await client.facet('c', { key: 'list', exact: true })).toEqual({
      hits: [
        { value: 'q', count: 2 },
        { value: 'p', count: 1 },
      ],
    });
  });

  it('gives the keys asked for', async () => {
    expect(
      await client.retrieve('c', { ids: [A, 'f0000000-0000-0000-0000-000000000000'], with_payload: ['n'] }),
    ).toEqual([{ id: A, payload: { n: 7 } }]);
  });

  it('enforces strict mode: an index for each key, and a greatest limit', async () => {
    const filter = { must: [{ key: 'other', match: { value: 1 } }] };
    await expect(client.scroll('c', { filter })).rejects.toMatchObject({ status: 400 });
    await expect(client.scroll('c', { limit: 101 })).rejects.toMatchObject({ status: 400 });
    await expect(client.scroll('c', { order_by: 'kind' })).rejects.toMatchObject({ status: 400 });
    await expect(client.facet('c', { key: 'other' })).rejects.toMatchObject({ status: 400 });
  });
});

describe('searching', () => {
  beforeEach(async () => {
    await put(A, { kind: 'x' }, { dense: [1, 0], bm25: { indices: [1, 2], values: [0.5, 0.25] } });
    await put(B, { kind: 'x' }, { dense: [0.6, 0.8], bm25: { indices: [2], values: [0.75] } });
    await put(C, { kind: 'y' }, { dense: [0, 2] });
  });
  const search = async (args: Parameters<QdrantClient['query']>[1]) =>
    (await client.query('c', args)).points.map(({ id, score }) => [id, score]);

  it('scores sparse vectors with idf, worked out by hand', async () => {
    // Of 2 sparse vectors, 1 has dimension 1: ln(1.5 / 1.5 + 1) = ln 2; both have 2: ln(0.5 / 2.5 + 1) = ln 1.2.
    expect(await search({ query: { indices: [1, 2], values: [1, 1] }, using: 'bm25' })).toEqual([
      [A, expect.closeTo(0.5 * Math.log(2) + 0.25 * Math.log(1.2), 6)],
      [B, expect.closeTo(0.75 * Math.log(1.2), 6)],
    ]);
  });

  it('scores dense vectors by cosine', async () => {
    expect(await search({ query: [0, 1], using: 'dense', limit: 2 })).toEqual([
      [C, expect.closeTo(1, 6)],
      [B, expect.closeTo(0.8, 6)],
    ]);
    expect(await search({ query: [0, 1], using: 'dense', score_threshold: 0.9 })).toHaveLength(1);
  });

  it('fuses prefetches by their ranks', async () => {
    const prefetch = [
      { query: { indices: [2], values: [1] }, using: 'bm25' },
      { query: [0, 1], using: 'dense', filter: { must: { key: 'kind', match: { value: 'y' } } } },
    ];
    expect(await search({ prefetch, query: { rrf: { k: 2, weights: [1, 3] } } })).toEqual([
      [C, expect.closeTo(0.75, 6)],
      [B, expect.closeTo(1 / 2, 6)],
      [A, expect.closeTo(1 / 3, 6)],
    ]);
  });

  it('answers several searches in one call, and by id where nothing is asked', async () => {
    const answers = await client.queryBatch('c', {
      searches: [{ limit: 1 }, { filter: { must: { key: 'kind', match: { value: 'y' } } } }],
    });
    expect(answers.map(({ points }) => points.map(({ id }) => id))).toEqual([[A], [C]]);
  });
});
