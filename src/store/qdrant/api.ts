import type { QdrantClient, Schemas } from '@qdrant/js-client-rest';
import { unavailable } from './errors.ts';
import type { Transport } from './transport.ts';

export type Filter = Schemas['Filter'];
export type Condition = Schemas['Condition'];
export type Point = Schemas['PointStruct'];
export type Stored = Schemas['Record'];
export type Query = Schemas['QueryRequest'];
export type Hit = Schemas['ScoredPoint'];
export type Payload = Record<string, unknown>;

/** The points of one collection. */
export interface Points {
  place: string;
  /** Writes points; existing ones stay unchanged. */
  insert(points: Point[]): Promise<void>;
  /** Writes points, replacing existing ones. */
  put(points: Point[]): Promise<void>;
  /** Writes a point over one that fits the filter; one that does not fit stays, one that is missing is made. */
  replace(point: Point, where: Filter): Promise<void>;
  /** Merges keys into the payload of a point that exists. */
  setPayload(id: string, payload: Payload): Promise<void>;
  remove(ids: string[]): Promise<void>;
  /** Points by id, in no order; those that are missing are left out. */
  get(ids: string[], keys: string[] | true): Promise<Stored[]>;
  /** All points that fit, by id. */
  all(filter: Filter, keys: string[] | true): AsyncGenerator<Stored>;
  /** The same in the portions of the server's answers, from an id on. */
  pages(filter: Filter, keys: string[] | true, from?: string): AsyncGenerator<Stored[]>;
  /** The first points that fit, by id, or by an integer key. */
  first(filter: Filter, keys: string[] | true, limit: number, order?: Order): Promise<Stored[]>;
  /** How many fit, exactly. */
  count(filter: Filter): Promise<number>;
  /** How many fit for each value of a key, exactly. */
  countBy(key: string, filter: Filter): Promise<Map<string, number>>;
  /** Several searches in one request, each with its hits. */
  search(queries: Query[]): Promise<Hit[][]>;
}

export interface Order {
  key: string;
  direction: 'asc' | 'desc';
  /** Where to begin, inclusive. */
  from?: number;
}

/** Records in one answer of a listing, and ids in one request. */
const PAGE = 256;
/** Bytes of points in one request; Qdrant accepts 32 MiB by default. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** Searches in one request. */
const SEARCHES = 64;

/**
 * Writes go through the shard's permanent leader and are answered when they are applied and can be read back; reads ask
 * the majority of replicas, so that they meet every write that was answered (docs/qdrant.md).
 */
const WRITE = { wait: true, ordering: 'strong' } as const;
const READ = { consistency: 'majority' } as const;

export function openPoints(transport: Transport, collection: string): Points {
  const { ask } = transport;
  const write = async (request: (client: QdrantClient) => Promise<Schemas['UpdateResult']>) => {
    if ((await ask(request)).status === 'completed') return;
    throw unavailable(
      transport.place,
      'accepted a write without finishing it in time',
      'Check the load of the server; what was written is looked for before it is written again.',
    );
  };
  const scroll = (request: Schemas['ScrollRequest']) =>
    ask((client) => client.scroll(collection, { ...request, with_vector: false, ...READ }));

  const points: Points = {
    place: transport.place,
    async insert(list) {
      for (const batch of batches(list)) {
        await write((client) =>
          client.upsert(collection, { points: batch, update_mode: 'insert_only', ...WRITE }),
        );
      }
    },
    async put(list) {
      for (const batch of batches(list)) {
        await write((client) => client.upsert(collection, { points: batch, ...WRITE }));
      }
    },
    replace: (point, where) =>
      write((client) => client.upsert(collection, { points: [point], update_filter: where, ...WRITE })),
    setPayload: (id, payload) =>
      write((client) => client.setPayload(collection, { payload, points: [id], ...WRITE })),
    remove: (ids) => write((client) => client.delete(collection, { points: ids, ...WRITE })),
    async get(ids, keys) {
      const found: Stored[] = [];
      for (let at = 0; at < ids.length; at += PAGE) {
        const request = { ids: ids.slice(at, at + PAGE), with_payload: keys, with_vector: false, ...READ };
        found.push(...(await ask((client) => client.retrieve(collection, request))));
      }
      return found;
    },
    async *all(filter, keys) {
      for await (const page of points.pages(filter, keys)) yield* page;
    },
    async *pages(filter, keys, from) {
      let offset: Schemas['ScrollResult']['next_page_offset'] = from;
      do {
        const page: Schemas['ScrollResult'] = await scroll({
          filter,
          limit: PAGE,
          with_payload: keys,
          ...(offset === undefined ? {} : { offset }),
        });
        yield page.points;
        offset = page.next_page_offset;
      } while (offset !== null && offset !== undefined);
    },
    async first(filter, keys, limit, order) {
      const order_by = order && {
        key: order.key,
        direction: order.direction,
        ...(order.from === undefined ? {} : { start_from: order.from }),
      };
      return (await scroll({ filter, limit, with_payload: keys, ...(order_by && { order_by }) })).points;
    },
    async count(filter) {
      // The client's own `count` has no consistency option; the level below it has.
      const request = { collection_name: collection, filter, exact: true, ...READ };
      return (await ask(async (client) => (await client.api().countPoints(request)).data.result)).count;
    },
    async countBy(key, filter) {
      for (let limit = 1_000; ; limit *= 10) {
        const request = { key, filter, limit, exact: true, ...READ };
        const { hits } = await ask((client) => client.facet(collection, request));
        if (hits.length < limit) return new Map(hits.map(({ value, count }) => [String(value), count]));
      }
    },
    async search(queries) {
      const found: Hit[][] = [];
      for (let at = 0; at < queries.length; at += SEARCHES) {
        const searches = queries.slice(at, at + SEARCHES);
        const answers = await ask((client) => client.queryBatch(collection, { searches, ...READ }));
        found.push(...answers.map((answer) => answer.points));
      }
      return found;
    },
  };
  return points;
}

/** Points in parts that a request can carry. */
function* batches(points: readonly Point[]): Generator<Point[]> {
  let batch: Point[] = [];
  let bytes = 0;
  for (const point of points) {
    const size = JSON.stringify(point).length;
    if (batch.length > 0 && (bytes + size > BATCH_BYTES || batch.length === PAGE)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(point);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
