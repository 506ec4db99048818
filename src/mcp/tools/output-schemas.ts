import * as z from 'zod/mini';
import { attestOutput, proposeOutput, searchOutput } from '../../operations/schemas.ts';
import { challengeSchema, walkFieldsShape } from '../../run/walk-fields.ts';

/**
 * What the tools answer, as they declare it. The parts of a challenge that repeat a protocol's own block are declared as
 * objects: their schema is the protocol's (`kairos schema`), and four copies of it would not fit a client's context.
 */
const block = z.record(z.string(), z.unknown());
const declaredChallenge = z.object({
  ...challengeSchema.shape,
  outputs: z.optional(z.array(block)),
  shell: z.optional(block),
  mcp: z.optional(block),
  user_input: z.optional(block),
  comment: z.optional(block),
  sampling: z.optional(block),
  proposal: z.optional(block),
  proposal_draft: z.optional(block),
  environment: z.optional(block),
});

const declaredWalk = {
  ...walkFieldsShape,
  challenge: z.optional(z.nullable(declaredChallenge)),
  // Every code is listed once; the cause is one of the same.
  cause_code: z.optional(z.nullable(z.string())),
  violations: z.optional(z.array(block)),
};

export const walkToolOutput = z.object(declaredWalk);

/** `kairos_begin` with the deprecated `query` answers as search. */
export const beginToolOutput = z.object({
  ...declaredWalk,
  protocol_status: z.optional(
    z.enum(['continue', 'completed', 'blocked', 'match', 'partial_match', 'no_protocol']),
  ),
  choices: z.optional(z.array(block)),
  start_here: searchOutput.shape.start_here,
  chain_label: searchOutput.shape.chain_label,
  total_steps: searchOutput.shape.total_steps,
});

export const attestToolOutput = z.object({ ...attestOutput.shape, ...declaredWalk });

export const proposeToolOutput = z.object({ ...proposeOutput.shape, ...declaredWalk });
