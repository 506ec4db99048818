import { attest } from '../../operations/attest.ts';
import { type AttestInput, attestInput } from '../../operations/schemas.ts';
import { attestToolOutput } from './output-schemas.ts';
import type { Tool } from './tool.ts';

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
  output: attestToolOutput,
  call: ({ ctx, director }, args: AttestInput) => director.attest(args, (input) => attest(ctx, input)),
};
