import type { Schemas } from '@qdrant/js-client-rest';
import { Refusal, type StoredCollection, type StoredPoint } from './state.ts';

type Filter = Schemas['Filter'] | Record<string, unknown> | null | undefined;
type Condition = Schemas['Condition'];

/** Whether a point fits: all of `must`, any of `should`, none of `must_not`. No filter fits all. */
export function fits(filter: Filter, point: StoredPoint): boolean {
  const { must, should, must_not, ...rest } = (filter ?? {}) as Schemas['Filter'];
  if (Object.keys(rest).length > 0) throw unknown(rest);
  const any = list(should);
  return (
    list(must).every((condition) => holds(condition, point)) &&
    (any.length === 0 || any.some((condition) => holds(condition, point))) &&
    !list(must_not).some((condition) => holds(condition, point))
  );
}

/** Strict mode: a filter names indexed keys only. */
export function requireIndexes({ indexes }: StoredCollection, filter: Filter): void {
  for (const key of keysOf(filter)) {
    if (!indexes.has(key)) {
      throw new Refusal(
        400,
        `Bad request: Index required but not found for "${key}" of one of the following types: [keyword]. Help: Create an index for this key or use a different filter.`,
      );
    }
  }
}

function holds(condition: Condition, point: StoredPoint): boolean {
  if ('has_id' in condition) return (condition.has_id as (string | number)[]).includes(point.id);
  if (!('key' in condition)) return fits(condition as Schemas['Filter'], point);
  const { key, match, range, ...rest } = condition as Schemas['FieldCondition'];
  if (Object.keys(rest).length > 0) throw unknown(rest);
  const found = point.payload[key];
  const values = found === undefined || found === null ? [] : Array.isArray(found) ? found : [found];
  return values.some((value) => (!match || matches(match, value)) && (!range || lies(range, value)));
}

function matches(match: NonNullable<Schemas['FieldCondition']['match']>, value: unknown): boolean {
  if ('value' in match) return match.value === value;
  if ('any' in match) return (match.any as unknown[]).includes(value);
  throw unknown(match);
}

function lies(range: NonNullable<Schemas['FieldCondition']['range']>, value: unknown): boolean {
  const { lt, lte, gt, gte, ...rest } = range as Schemas['Range'];
  if (Object.keys(rest).length > 0) throw unknown(rest);
  if (typeof value !== 'number') return false;
  return (
    (lt == null || value < lt) &&
    (lte == null || value <= lte) &&
    (gt == null || value > gt) &&
    (gte == null || value >= gte)
  );
}

function keysOf(filter: Filter): string[] {
  const { must, should, must_not } = (filter ?? {}) as Schemas['Filter'];
  return [must, should, must_not].flatMap(list).flatMap((condition) => {
    if ('has_id' in condition) return [];
    return 'key' in condition ? [String(condition.key)] : keysOf(condition as Schemas['Filter']);
  });
}

function list(conditions: Schemas['Filter']['must']): Condition[] {
  if (conditions === undefined || conditions === null) return [];
  return Array.isArray(conditions) ? conditions : [conditions as Condition];
}

function unknown(part: object): Refusal {
  return new Refusal(400, `the double does not know this part of a filter: ${JSON.stringify(part)}`);
}
