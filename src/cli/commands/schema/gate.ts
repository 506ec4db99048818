import * as z from 'zod/mini';
import { policySchema } from '../../../gate/policy/schema.ts';
import { proposalSchema } from '../../../gate/proposal.ts';

/** JSON Schema of `kairos.policy.yaml`, made from the schema that validates it. Its meaning `policy check` judges. */
export function policyJsonSchema(): Record<string, unknown> {
  return {
    title: 'kairos policy',
    description: 'kairos.policy.yaml: who may propose what, what it takes, and who may approve it.',
    ...z.toJSONSchema(policySchema, { target: 'draft-2020-12', io: 'input' }),
  };
}

/** JSON Schema of a proposal, made from the schema that validates it. */
export function proposalJsonSchema(): Record<string, unknown> {
  return {
    title: 'kairos proposal',
    description: 'A proposal for a consequential step, as kairos proposal submit takes it.',
    ...z.toJSONSchema(proposalSchema, { target: 'draft-2020-12', io: 'input' }),
  };
}
