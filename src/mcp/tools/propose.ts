import { propose } from '../../operations/propose.ts';
import { type ProposeInput, proposeInput } from '../../operations/schemas.ts';
import { proposeToolOutput } from './output-schemas.ts';
import type { Tool } from './tool.ts';

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
