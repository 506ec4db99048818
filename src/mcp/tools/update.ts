import { type UpdateInput, updateInput, updateOutput } from '../../operations/schemas.ts';
import { update } from '../../operations/update.ts';
import type { Tool } from './tool.ts';

export const updateTool: Tool = {
  name: 'kairos_update',
  title: 'Change a protocol',
  description:
    'Change steps or whole protocols in place, for future runs; URIs stay and open runs continue unchanged. Use it to fix a step that failed because of the protocol. Give markdown_doc (one text for each uri) or updates. Removing or loosening a proof may be rejected. Next: kairos_dump to see it.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  changesProtocols: true,
  input: updateInput,
  parameters: {
    uris: 'Steps, or first steps for whole protocols.',
    markdown_doc: "One text for each uri: a step's body and block, or a whole document with its H1.",
    updates: 'The same change for all uris; text without a block keeps the block.',
  },
  output: updateOutput,
  call: ({ ctx }, args: UpdateInput) => update(ctx, args),
};
