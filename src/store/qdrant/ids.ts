import { v5 as uuidV5 } from 'uuid';
import { KairosError } from '../../base/errors.ts';
import { PROJECT_NAMESPACE } from '../../protocol/identity.ts';
import type { Condition, Filter } from './api.ts';

/** UUIDv5 (RFC 9562) of a point by what it stands for. Chains are known by their own id. */
export function pointId(...parts: readonly (string | number)[]): string {
  return uuidV5(parts.join('/'), NAMESPACE);
}

const NAMESPACE = uuidV5('qdrant', PROJECT_NAMESPACE);

/** What a point is: the value of its key `kind`. */
export type Kind = 'chain' | 'revision' | 'run' | 'batch' | 'stem' | 'word' | 'models';

/** Points of a kind that fit all conditions. */
export function ofKind(kind: Kind | readonly Kind[], ...conditions: Condition[]): Filter {
  const kinds: Condition = typeof kind === 'string' ? is('kind', kind) : isOneOf('kind', kind);
  return { must: [kinds, ...conditions] };
}

/**
 * The key has this value, or contains it if it is a list. Throws INVALID_INPUT for a text that no key can
 * have.
 */
export function is(key: string, value: string | number | boolean): Condition {
  return { key, match: { value: typeof value === 'string' ? storable(value) : value } };
}

/** The key has, or contains, at least one of these. */
export function isOneOf(key: string, values: readonly string[]): Condition {
  return { key, match: { any: [...new Set(values)].map(storable) } };
}

/** The text, if every store keeps it unchanged: without NUL and lone surrogates. */
export function storable(text: string): string {
  if (!/[\0\p{Surrogate}]/u.test(text)) return text;
  throw new KairosError('INVALID_INPUT', 'a text contains a NUL character or a lone surrogate', {
    hint: 'Remove the character and try again.',
  });
}
