import { begin } from '../../operations/begin.ts';
import { type BeginInput, beginInput } from '../../operations/schemas.ts';
import { beginToolOutput } from './output-schemas.ts';
import type { Tool } from './tool.ts';

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
  call: ({ ctx }, args: BeginInput) => begin(ctx, args),
};
