import { setImmediate } from 'node:timers/promises';
import type { Schemas } from '@qdrant/js-client-rest';
import { fits, requireIndexes } from './filter.ts';
import { normalised } from './scoring.ts';
import { compareIds, Refusal, type StoredCollection, type StoredPoint, selectPayload } from './state.ts';

/** Writes one point after the other, others' requests in between: several points are no transaction. */
export async function upsert(
  collection: StoredCollection,
  { points, update_mode, update_filter, ...rest }: Schemas['PointsList'],
): Promise<Schemas['UpdateResult']> {
  if (Object.keys(rest).length > 0) throw new Refusal(400, `the double does not know ${Object.keys(rest)}`);
  const most = collection.config.strict_mode_config?.upsert_max_batchsize;
  if (typeof most === 'number' && points.length > most) {
    throw new Refusal(400, `Bad request: Upsert batch size ${points.length} exceeds maximum of ${most}`);
  }
  requireIndexes(collection, update_filter);
  const version = operation(collection);
  const stored = points.map((point) => toStored(collection, point, version));
  for (const [at, point] of stored.entries()) {
    if (at > 0) await setImmediate();
    const old = collection.points.get(point.id);
    if (old !== undefined && (update_mode === 'insert_only' || !fits(update_filter, old))) continue;
    if (old === undefined && update_mode === 'update_only') continue;
    collection.points.set(point.id, point);
  }
  return { operation_id: version, status: 'completed' };
}

export function setPayload(
  collection: StoredCollection,
  { payload, points, filter, key }: Schemas['SetPayload'],
): Schemas['UpdateResult'] {
  if (!Array.isArray(points) || filter || key) throw new Refusal(400, 'the double sets payload by ids only');
  const version = operation(collection);
  for (const id of points as (string | number)[]) {
    const point = collection.points.get(id);
    if (point !== undefined) {
      collection.points.set(id, { ...point, payload: { ...point.payload, ...payload }, version });
    }
  }
  return { operation_id: version, status: 'completed' };
}

export function remove(
  collection: StoredCollection,
  selector: Schemas['PointsSelector'],
): Schemas['UpdateResult'] {
  if (!('points' in selector)) throw new Refusal(400, 'the double deletes by ids only');
  const version = operation(collection);
  for (const id of selector.points) collection.points.delete(id);
  return { operation_id: version, status: 'completed' };
}

export function retrieve(
  collection: StoredCollection,
  { ids, with_payload, with_vector }: Schemas['PointRequest'],
): Schemas['Record'][] {
  if (with_vector) throw new Refusal(400, 'the double gives no vectors back');
  return [...new Set(ids)].flatMap((id) => {
    const point = collection.points.get(id);
    return point === undefined ? [] : [toRecord(point, with_payload)];
  });
}

/** Points that fit, by id from the offset on; or by an integer key, and then without an offset. */
export function scroll(
  collection: StoredCollection,
  { filter, limit, offset, order_by, with_payload }: Schemas['ScrollRequest'],
): Schemas['ScrollResult'] {
  requireIndexes(collection, filter);
  const most = requireLimit(collection, limit);
  const found = [...collection.points.values()].filter((point) => fits(filter, point));
  if (order_by)
    return { points: ordered(collection, found, order_by, most, with_payload), next_page_offset: null };
  const sorted = found
    .sort((a, b) => compareIds(a.id, b.id))
    .filter(({ id }) => offset == null || compareIds(id, offset as string | number) >= 0);
  return {
    points: sorted.slice(0, most).map((point) => toRecord(point, with_payload)),
    next_page_offset: sorted[most]?.id ?? null,
  };
}

export function count(
  collection: StoredCollection,
  { filter }: Schemas['CountRequest'],
): Schemas['CountResult'] {
  requireIndexes(collection, filter);
  let found = 0;
  for (const point of collection.points.values()) if (fits(filter, point)) found += 1;
  return { count: found };
}

/** How many points have each value of an indexed key: the commonest first, equal ones by value. */
export function facet(
  collection: StoredCollection,
  { key, filter, limit }: Schemas['FacetRequest'],
): Schemas['FacetResponse'] {
  requireIndexes(collection, filter);
  if (!collection.indexes.has(key)) {
    throw new Refusal(400, `Bad request: Index required but not found for "${key}"`);
  }
  const counts = new Map<string, number>();
  for (const point of collection.points.values()) {
    if (!fits(filter, point)) continue;
    const value = point.payload[key];
    for (const one of new Set(Array.isArray(value) ? value : value === undefined ? [] : [value])) {
      counts.set(one as string, (counts.get(one as string) ?? 0) + 1);
    }
  }
  const hits = [...counts].map(([value, found]) => ({ value, count: found }));
  hits.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { hits: hits.slice(0, requireLimit(collection, limit)) };
}

/** The limit that is asked for, 10 if none; strict mode has a greatest one. */
export function requireLimit({ config }: StoredCollection, limit: unknown): number {
  const asked = typeof limit === 'number' ? limit : 10;
  const most = config.strict_mode_config?.max_query_limit;
  if (typeof most === 'number' && asked > most) {
    throw new Refusal(400, `Bad request: Limit exceeded ${asked} > ${most} for "limit"`);
  }
  return asked;
}

function ordered(
  { indexes }: StoredCollection,
  found: StoredPoint[],
  order: NonNullable<Schemas['ScrollRequest']['order_by']>,
  limit: number,
  selector: Schemas['ScrollRequest']['with_payload'],
): Schemas['Record'][] {
  const { key, direction, start_from } = (
    typeof order === 'string' ? { key: order } : order
  ) as Schemas['OrderBy'];
  if (indexes.get(key) !== 'integer') {
    throw new Refusal(400, `Bad request: No range index for \`order_by\` key: \`${key}\`.`);
  }
  const sign = direction === 'desc' ? -1 : 1;
  const from = typeof start_from === 'number' ? start_from : null;
  return found
    .filter(({ payload }) => typeof payload[key] === 'number')
    .map((point) => ({ point, value: Number(point.payload[key]) }))
    .filter(({ value }) => from === null || sign * (value - from) >= 0)
    .sort((a, b) => sign * (a.value - b.value) || compareIds(a.point.id, b.point.id))
    .slice(0, limit)
    .map(({ point, value }) => ({ ...toRecord(point, selector), order_value: value }));
}

function toRecord(point: StoredPoint, selector: Schemas['ScrollRequest']['with_payload']): Schemas['Record'] {
  return { id: point.id, payload: selectPayload(point, selector, true) };
}

function operation(collection: StoredCollection): number {
  collection.operations += 1;
  return collection.operations;
}

function toStored(
  { config }: StoredCollection,
  { id, vector, payload }: Schemas['PointStruct'],
  version: number,
): StoredPoint {
  const dense = new Map<string, Float32Array[]>();
  const sparse = new Map<string, Map<number, number>>();
  for (const [name, value] of Object.entries(vector as Record<string, unknown>)) {
    const params = (config.vectors as Record<string, Schemas['VectorParams']>)[name];
    if (params !== undefined) {
      const rows = rowsOf(params, value as number[] | number[][]);
      dense.set(
        name,
        rows.map((row) => (params.distance === 'Cosine' ? normalised(row) : Float32Array.from(row))),
      );
    } else if (config.sparse_vectors?.[name] !== undefined) {
      const { indices, values } = value as Schemas['SparseVector'];
      if (new Set(indices).size !== indices.length || indices.length !== values.length) {
        throw new Refusal(422, 'Validation error in JSON body: indices must be unique and as many as values');
      }
      sparse.set(name, new Map(indices.map((index, at) => [index, Math.fround(values[at] ?? 0)])));
    } else throw new Refusal(400, `Wrong input: Not existing vector name error: ${name}`);
  }
  return { id, payload: (payload ?? {}) as Record<string, unknown>, dense, sparse, version };
}

/** A vector, or those of a multivector; a single one may be given for several. */
export function rowsOf(params: Schemas['VectorParams'], given: number[] | number[][]): number[][] {
  const isMulti = params.multivector_config != null;
  const rows = (Array.isArray(given[0]) ? given : [given]) as number[][];
  if (!isMulti && Array.isArray(given[0])) {
    throw new Refusal(400, 'Wrong input: Conversion between multi and regular vectors failed');
  }
  for (const { length } of rows) {
    if (length !== params.size) {
      throw new Refusal(
        400,
        `Wrong input: Vector dimension error: expected dim: ${params.size}, got ${length}`,
      );
    }
  }
  return rows;
}
