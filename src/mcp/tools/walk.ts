import * as z from 'zod/mini';
import { type AttestInput, attest, attestInput } from '../../operations/attest.ts';
import { type BeginInput, begin, beginInput } from '../../operations/begin.ts';
import { type NextInput, next, nextInput } from '../../operations/next.ts';
import { type ProposeInput, propose, proposeInput } from '../../operations/propose.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import type { Tool } from './tool.ts';

const text = z.optional(z.string());

/**
 * A solution as `tools/list` shows it. Some clients send only what is listed, so every payload is. What has no fixed shape is
 * listed as JSON text, which every client can send; an object is accepted too.
 */
const listedSolution = z.object({
  type: text,
  nonce: text,
  proof_hash: text,
  shell: z.optional(z.object({ exit_code: z.optional(z.int()), stdout: text, stderr: text })),
  mcp: z.optional(
    z.object({ tool_name: text, arguments: text, result: text, success: z.optional(z.boolean()) }),
  ),
  user_input: z.optional(z.object({ confirmation: text })),
  comment: z.optional(z.object({ text })),
  sampling: z.optional(z.object({ result: text })),
});
const OLD_NAME = '= solution';

export const beginTool: Tool = {
  name: 'kairos_begin',
  description:
    'Begin a run and get its first step. Then do what current_step asks and make exactly the call in next_action. Give uri or key (slug).',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changesProtocols: false,
  hasText: true,
  input: beginInput,
  parameters: {
    uri: 'kairos://mem/<uuid> of a choice.',
    inputs: 'JSON {"NAME": value}, as in input_schema.',
    query: '= kairos_search',
  },
  call: ({ ctx, elicitation }, args: BeginInput) =>
    elicitation.begin(named(args), (input, given) => begin(ctx, input, given)),
};

export const nextTool: Tool = {
  name: 'kairos_next',
  description:
    'Submit the proof of the current step and get the next one. Report only what really happened. After an error, answer the new challenge.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  executes: true,
  changesProtocols: false,
  hasText: true,
  input: nextInput,
  parameters: {
    uri: 'As in next_action.',
    run_id: 'As in next_action.',
    solution:
      'type, nonce and proof_hash copied from the newest challenge, and the object named like type. {"type":"user_input"} alone asks the user. arguments, result: JSON.',
    proof_of_work: OLD_NAME,
    proof_of_work_result: OLD_NAME,
  },
  shapes: { solution: listedSolution },
  call: async (call, args: NextInput) =>
    withoutRepeats(
      await call.elicitation.next(
        located(args),
        async (input) => (await call.runner?.next(call, input)) ?? next(call.ctx, input),
      ),
    ),
};

/** The answer between two steps, which an agent pays for at each: without what `next_action` and `challenge` have. */
function withoutRepeats(answer: object): object {
  const { run_id, proof_hash, ...rest } = answer as RunFields;
  if (rest.protocol_status !== 'continue') return answer;
  return {
    ...rest,
    ...(rest.next_action?.endsWith(`run_id ${run_id}`) ? {} : { run_id }),
    ...(proof_hash === undefined || rest.challenge?.proof_hash === proof_hash ? {} : { proof_hash }),
  };
}

export const attestTool: Tool = {
  name: 'kairos_attest',
  description: 'Close and seal a run when next_action names it, or give up at any time with outcome failure.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changesProtocols: false,
  input: attestInput,
  parameters: {
    message: 'What was done and the result, in your own words.',
    solution: 'JSON; message is enough.',
  },
  call: ({ ctx, elicitation }, args: AttestInput) =>
    elicitation.attest(closing(located(args)), (input) => attest(ctx, input)),
};

export const proposeTool: Tool = {
  name: 'kairos_propose',
  description:
    'For a challenge of type proposal. Do nothing before ALLOW, then call kairos_next without solution. On HOLD ask the user, then call again.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  input: proposeInput,
  parameters: { proposal: 'challenge.proposal_draft, completed, as JSON.' },
  call: ({ ctx }, args: ProposeInput) => propose(ctx, located(args)),
};

/** A URI under the name of a slug. */
function named(args: BeginInput): BeginInput {
  const { key, ...rest } = args;
  return typeof key === 'string' && key.startsWith('kairos://') && rest.uri === undefined
    ? { ...rest, uri: key }
    : args;
}

/** Without a URI: the run is known by its id or the nonce, and its pending step is shown. */
function located<T extends { uri: string }>(args: T): T {
  return { ...args, uri: args.uri ?? '' };
}

/** The message is checked where one is needed; an outcome may be capitalised. */
function closing({ outcome, message = '', ...rest }: AttestInput): AttestInput {
  const word = typeof outcome === 'string' ? outcome.trim().toLowerCase() : outcome;
  return { ...rest, message, outcome: word as AttestInput['outcome'] };
}
