import * as z from 'zod/mini';
import { RUN_ERROR_CODES } from '../base/errors.ts';
import {
  assuranceSchema,
  commentDefinition,
  mcpDefinition,
  outputSchema,
  proposalTemplateSchema,
  samplingSchema,
  shellDefinition,
  userInputDefinition,
} from '../protocol/schema.ts';

export { RUN_ERROR_CODES, type RunErrorCode } from '../base/errors.ts';
export const runErrorCode = z.enum(RUN_ERROR_CODES);

/** What a run shows for a step; the type's object repeats the definition of the protocol. */
export const challengeSchema = z.object({
  type: z.enum(['shell', 'mcp', 'user_input', 'comment', 'sampling', 'proposal']),
  /** What to do, in fixed words. */
  description: z.string(),
  /** 32 hex digits, single use. */
  nonce: z.string(),
  /** The value to echo. */
  proof_hash: z.string(),
  assurance: z.optional(assuranceSchema),
  outputs: z.optional(z.array(outputSchema)),
  shell: z.optional(shellDefinition),
  mcp: z.optional(mcpDefinition),
  user_input: z.optional(userInputDefinition),
  comment: z.optional(commentDefinition),
  sampling: z.optional(samplingSchema),
  proposal: z.optional(proposalTemplateSchema),
  /** The template as a proposal, with every known value filled in. */
  proposal_draft: z.optional(z.record(z.string(), z.unknown())),
  /** Variables that the permitted command has to be given. */
  environment: z.optional(z.record(z.string(), z.string())),
});
export type Challenge = z.infer<typeof challengeSchema>;

export const currentStepSchema = z.object({
  uri: z.string(),
  /** For example `1/5`. */
  position: z.optional(z.string()),
  /** Present, with the two below, when the step is first shown and when a run is resumed: a retry repeats the challenge alone. */
  label: z.optional(z.string()),
  content: z.optional(z.string()),
  mimeType: z.optional(z.literal('text/markdown')),
});
export const nextStepSchema = z.object({
  uri: z.string(),
  /** For example `2/5`. */
  position: z.string(),
  label: z.string(),
});

/** One flat shape for begin, next, attest and propose. */
export const runFieldsShape = {
  must_obey: z.boolean(),
  /** What to call next, in fixed words; null only once the run is sealed. */
  next_action: z.nullable(z.string()),
  run_id: z.optional(z.string()),
  protocol_status: z.optional(z.enum(['continue', 'completed', 'blocked'])),
  current_step: z.optional(z.nullable(currentStepSchema)),
  next_step: z.optional(z.nullable(nextStepSchema)),
  challenge: z.optional(z.nullable(challengeSchema)),
  /** Hash of the proof just stored, which is the hash of its ledger entry. */
  proof_hash: z.optional(z.string()),
  message: z.optional(z.string()),
  error_code: z.optional(runErrorCode),
  cause_code: z.optional(runErrorCode),
  retry_count: z.optional(z.int()),
  /** With SAMPLING_INVALID_OUTPUT: every place of the result that the schema refuses, and the schema's keyword. */
  violations: z.optional(z.array(z.object({ pointer: z.string(), keyword: z.string() }))),
  /** With INPUT_REQUIRED: JSON Schema of inputs. */
  input_schema: z.optional(z.record(z.string(), z.unknown())),
  /** Run ids to choose from, with AMBIGUOUS_RUN. */
  candidates: z.optional(z.array(z.string())),
};
export const runFieldsSchema = z.object(runFieldsShape);
export type RunFields = z.infer<typeof runFieldsSchema>;
