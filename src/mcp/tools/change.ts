import { deleteChains } from '../../operations/delete.ts';
import { mint } from '../../operations/mint.ts';
import {
  type DeleteInput,
  deleteInput,
  deleteOutput,
  type MintInput,
  mintInput,
  mintOutput,
  type UpdateInput,
  updateInput,
  updateOutput,
} from '../../operations/schemas.ts';
import { update } from '../../operations/update.ts';
import type { Tool } from './tool.ts';

export const mintTool: Tool = {
  name: 'kairos_mint',
  title: 'Store a protocol',
  description:
    'Store a new protocol from markdown: the H1 is its title, each H2 a step, and a last json block {"proof_of_work": …} in a step what proves it. Use it when kairos_search found none and the way is worth keeping. Errors name lines to fix. Next: kairos_begin with the first uri.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: true,
  input: mintInput,
  parameters: {
    markdown_doc: 'The whole document.',
    llm_model_id: 'The model that wrote it.',
    force_update:
      'Store as a new revision where the slug exists or a title is alike; compare with kairos_dump first.',
    protocol_version: 'Semantic version, for example 1.2.0.',
    space: 'Another space than the one of this server.',
  },
  output: mintOutput,
  call: ({ ctx }, args: MintInput) => mint(ctx, args),
};

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
