import type { QdrantClient, Schemas } from '@qdrant/js-client-rest';
import { isConflict, qdrantUnavailable } from './failures.ts';
import type { Location, Transport } from './transport.ts';

export type Filter = Schemas['Filter'];
export type Condition = Schemas['Condition'];
export type QdrantPoint = Schemas['PointStruct'];
export type Stored = Schemas['Record'];
export type Query = Schemas['QueryRequest'];
export type Hit = Schemas['ScoredPoint'];
export type Payload = Record<string, unknown>;

/** The points of one collection. */
export interface Points {
  place: string;
  /** Writes points; existing ones stay unchanged. */
  insert(points: QdrantPoint[]): Promise<void>;
  /** Writes points, replacing existing ones. */
  put(points: QdrantPoint[]): Promise<void>;
  /** Writes a point over one that fits the filter; one that does not fit stays, one that is missing is made. */
  replace(point: QdrantPoint, where: Filter): Promise<void>;
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

interface Order {
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
const SEARCHES = 256;

/**
 * Writes go through the shard's permanent leader and are answered when they are applied and can be read back; reads ask
 * the majority of replicas, so that they meet every write that was answered (docs/qdrant-internals.md).
 */
const WRITE = { wait: true, ordering: 'strong' } as const;
const READ = { consistency: 'majority' } as const;

function openPoints(transport: Transport, collection: string): Points {
  const { ask } = transport;
  const write = async (request: (client: QdrantClient) => Promise<Schemas['UpdateResult']>) => {
    if ((await ask(request)).status === 'completed') return;
    throw qdrantUnavailable(
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
      const parts: Query[][] = [];
      for (let at = 0; at < queries.length; at += SEARCHES) parts.push(queries.slice(at, at + SEARCHES));
      const answers = await Promise.all(
        parts.map((searches) => ask((client) => client.queryBatch(collection, { searches, ...READ }))),
      );
      return answers.flat().map((answer) => answer.points);
    },
  };
  return points;
}

/** Points in parts that a request can carry. */
function* batches(points: readonly QdrantPoint[]): Generator<QdrantPoint[]> {
  let batch: QdrantPoint[] = [];
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

/** The collections of one store on a server; their names begin with the store's own. */
export interface Databank {
  transport: Transport;
  /** The points of a collection, by its full name or alias. */
  points(collection: string): Points;
  /** Creates a collection with its missing indexes. Returns its full name. */
  make(
    name: string,
    config: Schemas['CreateCollection'],
    indexes: Readonly<Record<string, Schemas['PayloadFieldSchema']>>,
  ): Promise<string>;
  drop(collection: string): Promise<void>;
}

export function openDatabank(transport: Transport, { alias, replicas, shards }: Location): Databank {
  return {
    transport,
    points: (collection) => openPoints(transport, collection),
    async make(suffix, config, indexes) {
      const name = `${alias}_${suffix}`;
      const whole: Schemas['CreateCollection'] = {
        ...config,
        replication_factor: replicas,
        write_consistency_factor: Math.floor(replicas / 2) + 1,
        ...(shards === null ? {} : { shard_number: shards }),
        strict_mode_config: STRICT_MODE,
      };
      await transport.ask((client) =>
        client.createCollection(name, whole).catch((error) => {
          if (isConflict(error)) return false;
          throw error;
        }),
      );
      for (const [field_name, field_schema] of Object.entries(indexes)) {
        const index = { field_name, field_schema, wait: true, ordering: 'strong' } as const;
        await transport.ask((client) => client.createPayloadIndex(name, index));
      }
      return name;
    },
    async drop(collection) {
      await transport.ask((client) => client.deleteCollection(collection));
    },
  };
}

/** What no kairos request does is forbidden for all: filtering without an index, or requesting everything. */
const STRICT_MODE: Schemas['StrictModeConfig'] = {
  enabled: true,
  unindexed_filtering_retrieve: false,
  unindexed_filtering_update: false,
  max_query_limit: 1_000_000,
  upsert_max_batchsize: 1_000,
};
