import type * as z from 'zod/mini';
import { isJsonObject, own } from '../proof/json-equal.ts';
import type { Parts, Reading } from './input.ts';
import { preconditionSchema, riskEnvelopeSchema, targetSchema, timeWindowSchema } from './proposal.ts';

/** The well-formed parts of malformed fields, so that one fault hides no other. */
export function partsOf({ raw, fields }: Pick<Reading, 'raw' | 'fields'>): Parts {
  const given = raw ?? {};
  return {
    target: fields.target ?? membersOf(targetSchema, own(given, 'target')),
    risk_envelope: fields.risk_envelope ?? membersOf(riskEnvelopeSchema, own(given, 'risk_envelope')),
    time_window: fields.time_window ?? membersOf(timeWindowSchema, own(given, 'time_window')),
    preconditions: itemsOf(fields.preconditions ?? own(given, 'preconditions')),
  };
}

function membersOf<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  value: unknown,
): Partial<z.infer<z.ZodMiniObject<Shape, z.core.$strict>>> {
  if (!isJsonObject(value)) return {};
  const members = Object.entries(schema.shape).flatMap(([key, member]) => {
    const result = (member as z.ZodMiniType).safeParse(own(value, key));
    return result.success ? [[key, result.data]] : [];
  });
  return Object.fromEntries(members);
}

function itemsOf(value: unknown): Parts['preconditions'] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, at) => {
    const result = preconditionSchema.safeParse(item);
    return result.success ? [{ at, precondition: result.data }] : [];
  });
}
