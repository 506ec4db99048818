import * as z from 'zod/mini';
import { ACTION_TYPES, ASSURANCES, INTERPRETERS, type PROOF_TYPES } from './terms.ts';

/**
 * The one schema of a step block: validator, TypeScript types and the shipped JSON Schema all come from here.
 * Every object is closed; defaults are filled in by parsing, so two spellings of one demand are one value.
 */

const nonEmpty = () => z.string().check(z.minLength(1));

export const assuranceSchema = z.enum(ASSURANCES);
export type Assurance = z.infer<typeof assuranceSchema>;

export type ProofType = (typeof PROOF_TYPES)[number];

/** JSON objects with foreign content: JSON Schemas, tool arguments. */
const jsonObject = z.record(z.string(), z.json());

export const shellDefinition = z.strictObject({
  // A blank command would always succeed.
  cmd: z.string().check(z.regex(/\S/)),
  timeout_seconds: z._default(z.int().check(z.gte(1), z.lte(86_400)), 60),
  workdir: z.optional(nonEmpty()),
  env: z.optional(z.array(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)))),
  expect_exit_code: z._default(z.int().check(z.gte(0), z.lte(255)), 0),
  stdout_matches: z.optional(nonEmpty()),
  interactive: z.optional(z.boolean()),
  interpreter: z.optional(z.enum(INTERPRETERS)),
});

export const mcpDefinition = z.strictObject({
  tool_name: nonEmpty(),
  server: z.optional(nonEmpty()),
  arguments: z.optional(jsonObject),
  expected_result: z.optional(z.json()),
  result_schema: z.optional(jsonObject),
});

export const userInputDefinition = z.strictObject({
  prompt: nonEmpty(),
  choices: z.optional(z.array(nonEmpty()).check(z.minLength(1))),
  pattern: z.optional(nonEmpty()),
});

export const commentDefinition = z.strictObject({
  min_length: z._default(z.int().check(z.gte(1), z.lte(65_536)), 10),
});

const common = { required: z._default(z.boolean(), true), assurance: z.optional(assuranceSchema) };

export const proofOfWorkSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('shell'), shell: shellDefinition, ...common }),
  z.strictObject({ type: z.literal('mcp'), mcp: mcpDefinition, ...common }),
  z.strictObject({ type: z.literal('user_input'), user_input: userInputDefinition, ...common }),
  z.strictObject({
    type: z.literal('comment'),
    comment: z._default(commentDefinition, { min_length: 10 }),
    ...common,
  }),
]);
export type ProofOfWork = z.infer<typeof proofOfWorkSchema>;

const jsonPointer = () => z.string().check(z.regex(/^(?:\/(?:[^~/]|~[01])*)*$/));

export const outputSchema = z.strictObject({
  path: nonEmpty(),
  exists: z.optional(z.boolean()),
  sha256: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  matches: z.optional(nonEmpty()),
  json_pointer: z.optional(jsonPointer()),
  equals: z.optional(z.json()),
  schema: z.optional(jsonObject),
});
export type OutputCheck = z.infer<typeof outputSchema>;

/** A value that a step reads from its accepted proof, for later steps. */
export const captureSchema = z.strictObject({
  name: z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,63}$/)),
  from: z.enum(['stdout', 'result', 'answer']),
  pattern: z.optional(nonEmpty()),
  json_pointer: z.optional(jsonPointer()),
  secret: z.optional(z.boolean()),
});
export type CaptureDefinition = z.infer<typeof captureSchema>;

/** What a run is done to: an environment variable that is declared, checked, asked for and recorded. */
export const inputSchema = z.strictObject({
  description: z.optional(nonEmpty()),
  pattern: z.optional(nonEmpty()),
  choices: z.optional(z.array(nonEmpty()).check(z.minLength(1))),
  type: z.optional(z.enum(['number', 'boolean'])),
  default: z.optional(z.json()),
  secret: z.optional(z.boolean()),
});
/** With its default as the text that a command gets. */
export type InputDefinition = Omit<z.infer<typeof inputSchema>, 'default'> & { default?: string };

export const samplingSchema = z.strictObject({
  system: nonEmpty(),
  prompt: nonEmpty(),
  temperature: z._default(z.number().check(z.gte(0), z.lte(2)), 0.2),
  top_p: z._default(z.number().check(z.gte(0), z.lte(1)), 0.9),
  max_tokens: z._default(z.int().check(z.gte(1)), 1024),
  approval_mode: z.optional(z.enum(['user', 'auto'])),
  output_schema: jsonObject,
});
export type SamplingDefinition = z.infer<typeof samplingSchema>;

export const APPROVAL_CLASSES = ['none', 'single', 'dual', 'threshold'] as const;
export const OPERATORS = ['eq', 'ne', 'gt', 'lt', 'contains', 'matches'] as const;

/** Of a template, and of the proposal that repeats it. */
export const preconditionSchema = z.strictObject({
  field: z.string(),
  operator: z.enum(OPERATORS),
  value: z.json(),
  evidence_ref: nonEmpty(),
});

/** The same. */
export const rollbackSchema = z.strictObject({
  strategy: z.enum(['none', 'manual', 'command', 'chain']),
  command: z.optional(nonEmpty()),
  chain_uri: z.optional(nonEmpty()),
  verify: z.optional(nonEmpty()),
  deadline_ms: z.optional(z.int().check(z.gte(1))),
});

/** Template of a gated step (seed 004). The proposal must repeat what it sets. */
export const proposalTemplateSchema = z.strictObject({
  action_type: z.optional(z.enum(ACTION_TYPES)),
  target: z.optional(
    z.strictObject({
      resource_type: z.optional(nonEmpty()),
      resource_id: z.optional(nonEmpty()),
      domain: z.optional(nonEmpty()),
      constraints: z.optional(jsonObject),
    }),
  ),
  effects: z.optional(z.array(nonEmpty())),
  preconditions: z.optional(z.array(preconditionSchema)),
  risk_envelope: z.optional(
    z.strictObject({
      allowed_side_effects: z.optional(z.array(nonEmpty())),
      forbidden_effects: z.optional(z.array(nonEmpty())),
      max_affected_records: z.optional(z.int()),
      reversible_required: z.optional(z.boolean()),
    }),
  ),
  rollback_semantics: z.optional(rollbackSchema),
  time_window: z.optional(z.strictObject({ max_duration_ms: z.optional(z.int().check(z.gte(1))) })),
  approval_class: z.optional(z.enum(APPROVAL_CLASSES)),
  evidence_bindings: z.optional(
    z.array(
      z.strictObject({
        evidence_id: nonEmpty(),
        ref: nonEmpty(),
        freshness_ms: z.optional(z.int().check(z.gte(1))),
      }),
    ),
  ),
  parameters_schema: z.optional(jsonObject),
});
export type ProposalTemplate = z.infer<typeof proposalTemplateSchema>;

export const stepBlockSchema = z.strictObject({
  proof_of_work: z.optional(proofOfWorkSchema),
  outputs: z.optional(z.array(outputSchema).check(z.minLength(1))),
  sampling: z.optional(samplingSchema),
  proposal: z.optional(proposalTemplateSchema),
  captures: z.optional(z.array(captureSchema).check(z.minLength(1))),
});
export type StepBlock = z.infer<typeof stepBlockSchema>;

/** The calls of an agent that a hold covers. */
const holdMatchSchema = z.strictObject({
  command: z.optional(nonEmpty()),
  tool: z.optional(nonEmpty()),
  arguments: z.optional(jsonObject),
});

/** A call of an agent that waits for a step, as a protocol proposes it: its own steps let the call through. */
export const proposedHoldSchema = z.strictObject({
  match: holdMatchSchema,
  step: z.optional(z.int().check(z.gte(1))),
  allow_when: z._default(z.enum(['demanded', 'open', 'attested']), 'demanded'),
  else: z._default(z.enum(['deny', 'ask']), 'deny'),
});
export type ProposedHold = z.infer<typeof proposedHoldSchema>;

/** The same in a hold list, where it names its protocol. */
export const holdSchema = z.extend(proposedHoldSchema, { protocol: z.string() });
export type Hold = z.infer<typeof holdSchema>;

/** `hold.yaml`. */
export const holdListSchema = z.strictObject({ holds: z.array(holdSchema) });

export const frontmatterSchema = z.object({
  slug: z.optional(z.string()),
  version: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
  inputs: z.optional(z.record(z.string(), z.union([inputSchema, z.null()]))),
  holds: z.optional(z.array(proposedHoldSchema)),
});
