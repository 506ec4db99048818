import type { Schemas } from '@qdrant/js-client-rest';
import { openPoints, type Points } from './api.ts';
import { answered } from './failures.ts';
import type { Location } from './location.ts';
import type { Transport } from './transport.ts';

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
          if (answered(error, 409)) return false;
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
