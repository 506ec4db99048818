import type { Schemas } from '@qdrant/js-client-rest';
import { unavailable } from './errors.ts';
import type { Call, Transport } from './transport.ts';

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
  /** Writes points; those that exist stay as they are. */
  insert(points: Point[]): Promise<void>;
  /** Writes points, whatever stands there. */
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
/** Bytes of points in one request; Qdrant takes 32 MiB by default. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** Searches in one request. */
const SEARCHES = 64;

/**
 * Writes go through the shard's permanent leader and are answered when they are applied and can be read back; reads ask
 * the majority of replicas, so that they meet every write that was answered (docs/qdrant.md).
 */
const WRITE = { wait: 'true', ordering: 'strong' };
const READ = { consistency: 'majority' };

export function openPoints(transport: Transport, collection: string): Points {
  const base = `/collections/${encodeURIComponent(collection)}`;
  const read = async <T>(path: string, body: unknown): Promise<T> =>
    (await transport.call<T>({ method: 'POST', path: `${base}${path}`, query: READ, body })) as T;
  const write = async (method: Call['method'], path: string, body: unknown) => {
    const result = await transport.call<Schemas['UpdateResult']>({
      method,
      path: `${base}${path}`,
      query: WRITE,
      body,
    });
    if (result?.status === 'completed') return;
    throw unavailable(
      transport.place,
      'took a write without finishing it in time',
      'Check the load of the server; what was written is looked for before it is written again.',
    );
  };

  const points: Points = {
    place: transport.place,
    async insert(list) {
      for (const batch of batches(list)) {
        await write('PUT', '/points', { points: batch, update_mode: 'insert_only' });
      }
    },
    async put(list) {
      for (const batch of batches(list)) await write('PUT', '/points', { points: batch });
    },
    replace: (point, where) => write('PUT', '/points', { points: [point], update_filter: where }),
    setPayload: (id, payload) => write('POST', '/points/payload', { payload, points: [id] }),
    remove: (ids) => write('POST', '/points/delete', { points: ids }),
    async get(ids, keys) {
      const found: Stored[] = [];
      for (let at = 0; at < ids.length; at += PAGE) {
        const body = { ids: ids.slice(at, at + PAGE), with_payload: keys, with_vector: false };
        found.push(...(await read<Stored[]>('/points', body)));
      }
      return found;
    },
    async *all(filter, keys) {
      for await (const page of points.pages(filter, keys)) yield* page;
    },
    async *pages(filter, keys, from) {
      let offset: Schemas['ScrollResult']['next_page_offset'] = from;
      do {
        const page: Schemas['ScrollResult'] = await read('/points/scroll', {
          filter,
          limit: PAGE,
          with_payload: keys,
          with_vector: false,
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
      const body = { filter, limit, with_payload: keys, with_vector: false, ...(order_by && { order_by }) };
      return (await read<Schemas['ScrollResult']>('/points/scroll', body)).points;
    },
    count: async (filter) =>
      (await read<Schemas['CountResult']>('/points/count', { filter, exact: true })).count,
    async countBy(key, filter) {
      for (let limit = 1_000; ; limit *= 10) {
        const { hits } = await read<Schemas['FacetResponse']>('/facet', { key, filter, limit, exact: true });
        if (hits.length < limit) return new Map(hits.map(({ value, count }) => [String(value), count]));
      }
    },
    async search(queries) {
      const found: Hit[][] = [];
      for (let at = 0; at < queries.length; at += SEARCHES) {
        const searches = queries.slice(at, at + SEARCHES);
        const answers = await read<Schemas['QueryResponse'][]>('/points/query/batch', { searches });
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
