import type { Schemas } from '@qdrant/js-client-rest';

export interface StoredPoint {
  id: string | number;
  payload: Record<string, unknown>;
  /** One vector, or several for a multivector. */
  dense: Map<string, Float32Array[]>;
  sparse: Map<string, Map<number, number>>;
  version: number;
}

export interface StoredCollection {
  name: string;
  config: Schemas['CreateCollection'];
  indexes: Map<string, Schemas['PayloadFieldSchema']>;
  points: Map<string | number, StoredPoint>;
  operations: number;
}

export interface DoubleState {
  collections: Map<string, StoredCollection>;
  aliases: Map<string, string>;
}

/** An answer other than 200: what `status.error` says. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A collection by its name or alias. */
export function collectionOf({ collections, aliases }: DoubleState, name: string): StoredCollection {
  const found = collections.get(aliases.get(name) ?? name);
  if (found === undefined) throw new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
  return found;
}

/** Ids as Qdrant orders them: numbers first, then UUIDs by their 128 bits. */
export function compareIds(left: string | number, right: string | number): number {
  if (typeof left !== typeof right) return typeof left === 'number' ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The payload as the selector wants it. */
export function selectPayload(
  { payload }: StoredPoint,
  selector: Schemas['WithPayloadInterface'] | Record<string, unknown> | null | undefined,
  byDefault: boolean,
): Record<string, unknown> | null {
  const wanted = selector ?? byDefault;
  if (wanted === true) return payload;
  if (wanted === false) return null;
  if (!Array.isArray(wanted)) throw new Refusal(400, 'the double knows no payload selectors');
  return Object.fromEntries(Object.entries(payload).filter(([key]) => wanted.includes(key)));
}
