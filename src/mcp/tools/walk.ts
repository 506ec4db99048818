import * as z from 'zod/mini';
import { attest } from '../../operations/attest.ts';
import { begin } from '../../operations/begin.ts';
import { next } from '../../operations/next.ts';
import { propose } from '../../operations/propose.ts';
import {
  type AttestInput,
  attestInput,
  attestOutput,
  type BeginInput,
  beginInput,
  type NextInput,
  nextInput,
  type ProposeInput,
  proposeInput,
  proposeOutput,
  searchOutput,
} from '../../operations/schemas.ts';
import { challengeSchema, runFieldsShape } from '../../run/walk-fields.ts';
import type { Tool } from './tool.ts';

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

const text = z.optional(z.string());

/**
 * A solution as `tools/list` shows it. Some clients send only what is listed, so every payload is; a result may be any value,
 * which a text can represent.
 */
const listedSolution = z.object({
  type: text,
  nonce: text,
  proof_hash: text,
  shell: z.optional(
    z.object({
      exit_code: z.optional(z.int()),
      stdout: text,
      stderr: text,
      duration_seconds: z.optional(z.number()),
    }),
  ),
  mcp: z.optional(
    z.object({
      tool_name: text,
      arguments: z.optional(block),
      result: text,
      success: z.optional(z.boolean()),
    }),
  ),
  user_input: z.optional(z.object({ confirmation: text })),
  comment: z.optional(z.object({ text })),
  sampling: z.optional(z.object({ result: text })),
});
const listedComment = z.object({
  type: text,
  nonce: text,
  proof_hash: text,
  comment: z.optional(z.object({ text })),
});

const declaredWalk = {
  ...runFieldsShape,
  challenge: z.optional(z.nullable(declaredChallenge)),
  // Every code is listed once; the cause is one of the same.
  cause_code: z.optional(z.string()),
  violations: z.optional(z.array(block)),
};

const runToolOutput = z.object(declaredWalk);

/** `kairos_begin` with the deprecated `query` answers as search. */
const beginToolOutput = z.object({
  ...declaredWalk,
  protocol_status: z.optional(
    z.enum(['continue', 'completed', 'blocked', 'match', 'partial_match', 'no_protocol']),
  ),
  choices: z.optional(z.array(block)),
  start_here: searchOutput.shape.start_here,
  chain_label: searchOutput.shape.chain_label,
  total_steps: searchOutput.shape.total_steps,
});

const attestToolOutput = z.object({ ...attestOutput.shape, ...declaredWalk });

const proposeToolOutput = z.object({ ...proposeOutput.shape, ...declaredWalk });

export const beginTool: Tool = {
  name: 'kairos_begin',
  title: 'Begin a protocol',
  description:
    'Begin a run of a protocol and get its first step. Use the uri of a choice of kairos_search, or the slug as key. Answers current_step, often a challenge, and next_action. Next: do what current_step says, then make exactly the call in next_action. must_obey true means: no detours.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changesProtocols: false,
  input: beginInput,
  parameters: {
    uri: 'kairos://mem/<uuid> of a first step.',
    key: 'Slug of a protocol, instead of uri.',
    inputs:
      'Values of the inputs that the protocol declares, by name; see input_schema of an INPUT_REQUIRED answer.',
    resume: 'Go on with your newest open run of it, if there is one. Alone: with the run handed over.',
    query: 'Deprecated: use kairos_search.',
  },
  output: beginToolOutput,
  call: ({ ctx, director }, args: BeginInput) =>
    director.begin(args, (input, given) => begin(ctx, input, given)),
};

export const nextTool: Tool = {
  name: 'kairos_next',
  title: 'Prove a step and continue',
  description:
    'Submit the proof of the pending step and get the next one. Use the URI that next_action names and a solution that matches challenge: same type, nonce and proof_hash copied from the newest challenge. Report only what really happened. Next: the call in next_action; after an error, retry with the new challenge.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  executes: true,
  changesProtocols: false,
  input: nextInput,
  parameters: {
    uri: 'The kairos://mem/<uuid> that next_action names.',
    solution:
      'type, nonce and proof_hash, and the object named like the type; result is a value or its JSON text. user_input: type alone has the user asked. Leave out where next_action asks for none.',
    proof_of_work: 'Deprecated: solution.',
    proof_of_work_result: 'Deprecated: solution.',
    run_id: 'The run_id that next_action names.',
  },
  shapes: { solution: listedSolution },
  output: runToolOutput,
  call: (call, args: NextInput) =>
    call.director.next(
      args,
      async (input) => (await call.runner?.next(call, input)) ?? next(call.ctx, input),
    ),
};

export const attestTool: Tool = {
  name: 'kairos_attest',
  title: 'Close a run',
  description:
    'Close a run and seal its record. Use it when next_action names it (success needs every step proven), or with outcome failure to give up at any time. message is a genuine account of what was done and the result. Next: nothing; next_action is null once the run is sealed.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changesProtocols: false,
  input: attestInput,
  parameters: {
    uri: 'Any kairos://mem/<uuid> of the protocol.',
    message: 'What was done and what the result is, in your own words.',
    solution: 'A comment solution for the closing challenge; message alone is enough.',
    proof_of_work: 'Deprecated: solution.',
    run_id: 'The run_id that next_action names.',
    quality_bonus: 'How good the protocol was, -1 to 1.',
    llm_model_id: 'The model that ran it.',
  },
  shapes: { solution: listedComment },
  output: attestToolOutput,
  call: ({ ctx, director }, args: AttestInput) => director.attest(args, (input) => attest(ctx, input)),
};

export const proposeTool: Tool = {
  name: 'kairos_propose',
  title: 'Propose a consequential step',
  description:
    'Ask leave for a step whose challenge is of type proposal: complete challenge.proposal_draft and hand it in. Do nothing of the step before ALLOW. Next: after ALLOW kairos_next without a solution, once; after HOLD ask the user for approval and call this again; after DENY correct what reasons name.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  input: proposeInput,
  parameters: {
    uri: 'The kairos://mem/<uuid> that next_action names.',
    proposal: 'challenge.proposal_draft, completed; leave out to have the newest one judged again.',
    run_id: 'The run_id that next_action names.',
  },
  output: proposeToolOutput,
  call: ({ ctx }, args: ProposeInput) => propose(ctx, args),
};
