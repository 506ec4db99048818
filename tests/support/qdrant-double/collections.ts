import type { Schemas } from '@qdrant/js-client-rest';
import { collectionOf, type DoubleState, Refusal } from './state.ts';

export function createCollection(
  { collections, aliases }: DoubleState,
  name: string,
  config: Schemas['CreateCollection'],
): boolean {
  if (collections.has(name)) throw new Refusal(409, `Wrong input: Collection \`${name}\` already exists!`);
  if (aliases.has(name)) {
    throw new Refusal(
      400,
      `Bad request: Can't create collection with name ${name}. Alias with the same name already exists`,
    );
  }
  collections.set(name, { name, config, indexes: new Map(), points: new Map(), operations: 0 });
  return true;
}

export function dropCollection({ collections, aliases }: DoubleState, name: string): boolean {
  const existed = collections.delete(name);
  for (const [alias, target] of aliases) if (target === name) aliases.delete(alias);
  return existed;
}

export function changeAliases(state: DoubleState, { actions }: Schemas['ChangeAliasesOperation']): boolean {
  for (const action of actions) {
    if ('create_alias' in action) {
      const { alias_name, collection_name } = action.create_alias;
      if (!state.collections.has(collection_name)) {
        throw new Refusal(404, `Not found: Collection \`${collection_name}\` doesn't exist!`);
      }
      if (state.collections.has(alias_name)) {
        throw new Refusal(409, `Wrong input: Collection \`${alias_name}\` already exists!`);
      }
      state.aliases.set(alias_name, collection_name);
    } else if ('delete_alias' in action) state.aliases.delete(action.delete_alias.alias_name);
    else throw new Refusal(400, 'the double renames no aliases');
  }
  return true;
}

export function createIndex(
  state: DoubleState,
  name: string,
  { field_name, field_schema }: Schemas['CreateFieldIndex'],
): Schemas['UpdateResult'] {
  const collection = collectionOf(state, name);
  collection.indexes.set(field_name, field_schema as Schemas['PayloadFieldSchema']);
  return { operation_id: collection.operations, status: 'completed' };
}

export function describeCollection(state: DoubleState, name: string): Schemas['CollectionInfo'] {
  const { config, indexes, points } = collectionOf(state, name);
  return {
    status: 'green',
    optimizer_status: 'ok',
    indexed_vectors_count: 0,
    points_count: points.size,
    segments_count: 1,
    config: {
      params: {
        vectors: config.vectors ?? {},
        sparse_vectors: config.sparse_vectors ?? {},
        shard_number: config.shard_number ?? 1,
        replication_factor: config.replication_factor ?? 1,
        write_consistency_factor: config.write_consistency_factor ?? 1,
        on_disk_payload: true,
      },
      hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000 },
      optimizer_config: {
        deleted_threshold: 0.2,
        vacuum_min_vector_number: 1_000,
        default_segment_number: 0,
        flush_interval_sec: 5,
      },
      wal_config: { wal_capacity_mb: 32, wal_segments_ahead: 0 },
      ...(config.strict_mode_config ? { strict_mode_config: config.strict_mode_config } : {}),
      ...(config.metadata ? { metadata: config.metadata } : {}),
    },
    payload_schema: Object.fromEntries(
      [...indexes].map(([key, schema]) => [
        key,
        { data_type: (typeof schema === 'string' ? schema : schema.type) as 'keyword', points: points.size },
      ]),
    ),
  };
}
