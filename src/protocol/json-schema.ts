import * as z from 'zod/mini';
import { stepBlockSchema } from './schema.ts';

/** JSON Schema 2020-12 of a step block as authors write it, made from the schema that validates it. */
export function stepBlockJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(stepBlockSchema, { target: 'draft-2020-12', io: 'input' });
  return {
    title: 'kairos step block',
    description: 'What a step of a protocol demands: the last fenced json or yaml block of the step.',
    ...schema,
  };
}
