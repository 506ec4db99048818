import * as z from 'zod/mini';
import { runFieldsShape } from '../run/walk-fields.ts';

/**
 * Inputs and outputs of every operation, defined once. The command line, the MCP tools, their JSON Schemas
 * and the documentation are made from them. Input objects are flat; aliases are declared as optional inputs.
 */

const uri = z.string();
/** The run engine checks solutions and returns run errors, so the schema accepts any value. */
const solution = z.optional(z.unknown());
const assuranceCounts = z.object({
  observed: z.int(),
  attested: z.int(),
  client: z.int(),
  claimed: z.int(),
});

export const searchInput = z.strictObject({
  query: z.string(),
  limit: z._default(z.int().check(z.gte(1), z.lte(50)), 10),
  space: z.optional(z.string()),
});
export const choiceSchema = z.object({
  uri,
  label: z.string(),
  chain_label: z.string(),
  score: z.nullable(z.number()),
  role: z.enum(['match', 'refine', 'create']),
  tags: z.array(z.string()),
  next_action: z.string(),
  protocol_version: z.nullable(z.string()),
});
export const searchOutput = z.object({
  must_obey: z.literal(true),
  message: z.string(),
  next_action: z.string(),
  protocol_status: z.enum(['match', 'partial_match', 'no_protocol']),
  choices: z.array(choiceSchema),
  start_here: z.optional(z.string()),
  chain_label: z.optional(z.string()),
  total_steps: z.optional(z.int()),
});

export const beginInput = z.strictObject({
  uri: z.optional(uri),
  key: z.optional(z.string()),
  /** Values of the protocol's inputs by name. */
  inputs: z.optional(z.record(z.string(), z.unknown())),
  resume: z.optional(z.boolean()),
  /** Deprecated alias: returns search results. */
  query: z.optional(z.string()),
});

export const nextInput = z.strictObject({
  uri,
  solution,
  /** Deprecated aliases of `solution`. */
  proof_of_work: solution,
  proof_of_work_result: solution,
  run_id: z.optional(z.string()),
});

export const attestInput = z.strictObject({
  uri,
  outcome: z.enum(['success', 'failure']),
  message: z.string(),
  solution,
  /** Deprecated alias of `solution`. */
  proof_of_work: solution,
  run_id: z.optional(z.string()),
  quality_bonus: z._default(z.number(), 0),
  llm_model_id: z.optional(z.string()),
});
export const attestOutput = z.object({
  ...runFieldsShape,
  results: z.optional(
    z.array(
      z.object({
        uri,
        outcome: z.enum(['success', 'failure']),
        quality_bonus: z.number(),
        message: z.string(),
        rated_at: z.string(),
      }),
    ),
  ),
  total_rated: z.optional(z.int()),
  total_failed: z.optional(z.int()),
  ledger_head: z.optional(z.string()),
  assurance: z.optional(assuranceCounts),
});

export const proposeInput = z.strictObject({
  uri,
  run_id: z.optional(z.string()),
  /**
   * An object or a JSON text, judged by the gate. Omitted: the newest proposal of the step is judged again,
   * as after an approval.
   */
  proposal: z.optional(z.unknown()),
});
export const proposeOutput = z.object({
  ...runFieldsShape,
  decision: z.optional(z.enum(['ALLOW', 'DENY', 'HOLD', 'HALT'])),
  reasons: z.optional(z.array(z.object({ code: z.string(), pointer: z.string(), message: z.string() }))),
  proposal_hash: z.optional(z.nullable(z.string())),
  permit_id: z.optional(z.string()),
  approvals: z.optional(z.object({ needed: z.int(), given: z.int() })),
  expires_at: z.optional(z.string()),
});

export const mintInput = z.strictObject({
  markdown_doc: z.string(),
  llm_model_id: z.optional(z.string()),
  force_update: z._default(z.boolean(), false),
  protocol_version: z.optional(z.string()),
  space: z.optional(z.string()),
});
export const findingSchema = z.object({
  ruleId: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  reason: z.string(),
  line: z.int(),
  column: z.int(),
});
export const mintOutput = z.object({
  items: z.array(z.object({ uri, memory_uuid: z.string(), label: z.string(), tags: z.array(z.string()) })),
  status: z.literal('stored'),
  warnings: z.array(findingSchema),
});

export const updateInput = z.strictObject({
  uris: z.array(uri).check(z.minLength(1)),
  markdown_doc: z.optional(z.array(z.string())),
  updates: z.optional(
    z.strictObject({
      label: z.optional(z.string()),
      text: z.optional(z.string()),
      tags: z.optional(z.array(z.string())),
    }),
  ),
});
export const updateOutput = z.object({
  results: z.array(z.object({ uri, status: z.enum(['updated', 'error']), message: z.string() })),
  total_updated: z.int(),
  total_failed: z.int(),
});

export const deleteInput = z.strictObject({ uris: z.array(uri).check(z.minLength(1)) });
export const deleteOutput = z.object({
  results: z.array(z.object({ uri, status: z.enum(['deleted', 'error']), message: z.string() })),
  total_deleted: z.int(),
  total_failed: z.int(),
});

export const dumpInput = z.strictObject({ uri, protocol: z._default(z.boolean(), false) });
export const dumpOutput = z.object({
  markdown_doc: z.string(),
  uri,
  label: z.string(),
  chain_label: z.string(),
  position: z.optional(z.object({ step_index: z.int(), step_count: z.int() })),
  /** The step's block as it would be shown, without nonce and proof_hash, because there is no run. */
  challenge: z.optional(z.record(z.string(), z.unknown())),
  slug: z.optional(z.string()),
  protocol_version: z.optional(z.string()),
});

export const spacesInput = z.strictObject({ include_chain_titles: z.optional(z.boolean()) });
export const spacesOutput = z.object({
  spaces: z.array(
    z.object({ name: z.string(), chain_count: z.int(), chains: z.optional(z.array(z.string())) }),
  ),
  message: z.optional(z.string()),
});

export type SearchInput = z.input<typeof searchInput>;
export type SearchOutput = z.infer<typeof searchOutput>;
export type Choice = z.infer<typeof choiceSchema>;
export type BeginInput = z.input<typeof beginInput>;
export type NextInput = z.input<typeof nextInput>;
export type AttestInput = z.input<typeof attestInput>;
export type AttestOutput = z.infer<typeof attestOutput>;
export type ProposeInput = z.input<typeof proposeInput>;
export type ProposeOutput = z.infer<typeof proposeOutput>;
export type MintInput = z.input<typeof mintInput>;
export type MintOutput = z.infer<typeof mintOutput>;
export type UpdateInput = z.input<typeof updateInput>;
export type UpdateOutput = z.infer<typeof updateOutput>;
export type DeleteInput = z.input<typeof deleteInput>;
export type DeleteOutput = z.infer<typeof deleteOutput>;
export type DumpInput = z.input<typeof dumpInput>;
export type DumpOutput = z.infer<typeof dumpOutput>;
export type SpacesInput = z.input<typeof spacesInput>;
export type SpacesOutput = z.infer<typeof spacesOutput>;
