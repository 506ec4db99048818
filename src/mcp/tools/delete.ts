import { deleteChains } from '../../operations/delete.ts';
import { type DeleteInput, deleteInput, deleteOutput } from '../../operations/schemas.ts';
import type { Tool } from './tool.ts';

export const deleteTool: Tool = {
  name: 'kairos_delete',
  title: 'Remove a protocol',
  description:
    'Remove protocols from search, by the uri of their first step. Use it only when the user asked for exactly this. Their runs stay verifiable, and open ones continue. The uri of a later step removes nothing and names its protocol. Next: nothing.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  changesProtocols: true,
  input: deleteInput,
  parameters: { uris: 'First steps of the protocols.' },
  output: deleteOutput,
  call: ({ ctx }, args: DeleteInput) => deleteChains(ctx, args),
};
