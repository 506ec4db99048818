import { type SpacesInput, spacesInput, spacesOutput } from '../../operations/schemas.ts';
import { spaces } from '../../operations/spaces.ts';
import type { Tool } from './tool.ts';

export const spacesTool: Tool = {
  name: 'kairos_spaces',
  title: 'List the spaces',
  description:
    'List the spaces that this server can see, with their number of protocols and, on request, their titles. Use it to see what exists when a search finds nothing. Next: kairos_search, with space for another one.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  input: spacesInput,
  parameters: { include_chain_titles: 'Name the protocols too.' },
  output: spacesOutput,
  call: ({ ctx }, args: SpacesInput) => spaces(ctx, args),
};
