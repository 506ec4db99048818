import { dump } from '../../operations/dump.ts';
import { type DumpInput, dumpInput, dumpOutput } from '../../operations/schemas.ts';
import type { Tool } from './tool.ts';

export const dumpTool: Tool = {
  name: 'kairos_dump',
  title: 'Read a protocol',
  description:
    'Read a step, or with protocol true the whole protocol, as markdown that can be minted again. Use it to look before you change, compare or explain a protocol. It does not run one: nothing is begun or proven by it. Next: kairos_begin to run it, kairos_update to change it.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  input: dumpInput,
  parameters: {
    uri: 'kairos://mem/<uuid> of any step.',
    protocol: 'The whole protocol instead of the step.',
  },
  output: dumpOutput,
  call: ({ ctx }, args: DumpInput) => dump(ctx, args),
};
