import * as z from 'zod/mini';
import { projectSchema } from '../../../lint/config/schema.ts';
import { RULES } from '../../../lint/rules/index.ts';

/** Of a project's configuration, made from the schema that validates it: every rule by its name. */
export function configSchema(): Record<string, unknown> {
  return {
    title: 'kairos project configuration',
    description: 'kairos.config.yaml or kairos.config.json, or the key kairos of a package.json.',
    ...z.toJSONSchema(projectSchema(RULES), { target: 'draft-2020-12', io: 'input' }),
  };
}
