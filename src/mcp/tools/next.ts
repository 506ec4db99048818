import { next } from '../../operations/next.ts';
import { type NextInput, nextInput } from '../../operations/schemas.ts';
import { walkToolOutput } from './output-schemas.ts';
import type { Tool } from './tool.ts';

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
      'Object {type, nonce, proof_hash} and, by type: shell {exit_code, stdout?, stderr?, duration_seconds?}; mcp {tool_name, arguments?, result, success}; user_input {confirmation}, or type alone to have the user asked; comment {text}; sampling {result}. Leave out where next_action asks for none.',
    proof_of_work: 'Deprecated: solution.',
    proof_of_work_result: 'Deprecated: solution.',
    run_id: 'The run_id that next_action names.',
  },
  output: walkToolOutput,
  call: (call, args: NextInput) =>
    call.director.next(
      args,
      async (input) => (await call.runner?.next(call, input)) ?? next(call.ctx, input),
    ),
};
