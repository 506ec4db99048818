import { type DeleteInput, deleteChains, deleteInput } from '../../operations/delete.ts';
import { type DumpInput, dump, dumpInput } from '../../operations/dump.ts';
import { type MintInput, mint, mintInput } from '../../operations/mint.ts';
import { type SearchInput, search, searchInput } from '../../operations/search.ts';
import { type SpacesInput, spaces, spacesInput } from '../../operations/spaces.ts';
import { type UpdateInput, update, updateInput } from '../../operations/update.ts';
import type { Tool } from './tool.ts';

export const searchTool: Tool = {
  name: 'kairos_search',
  description:
    'Find the protocol (a proven procedure) for a task. Call it first when there may be a fixed way: release, incident, migration.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  input: searchInput,
  parameters: { query: 'The task; several phrasings a | b | c find more.', limit: '1 to 50.' },
  call: ({ ctx }, args: SearchInput) => search(ctx, args),
};

export const dumpTool: Tool = {
  name: 'kairos_dump',
  description: 'Read a step or a whole protocol as markdown.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  hasText: true,
  input: dumpInput,
  parameters: {},
  call: ({ ctx }, args: DumpInput) => dump(ctx, args),
};

export const spacesTool: Tool = {
  name: 'kairos_spaces',
  description: 'List the spaces and their protocols.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  input: spacesInput,
  parameters: {},
  call: ({ ctx }, args: SpacesInput) => spaces(ctx, args),
};

export const mintTool: Tool = {
  name: 'kairos_mint',
  description:
    'Store a protocol that kairos_search did not find: markdown with an H1 title, H2 steps, and in a step a last json block {"proof_of_work": …}.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: true,
  input: mintInput,
  parameters: { force_update: 'Replace what has this slug; read it with kairos_dump first.' },
  call: ({ ctx }, args: MintInput) => mint(ctx, args),
};

export const updateTool: Tool = {
  name: 'kairos_update',
  description: 'Change steps or whole protocols for future runs. URIs stay. Give markdown_doc or updates.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  changesProtocols: true,
  input: updateInput,
  parameters: { uris: 'Steps, or first steps.', markdown_doc: 'A text for each uri.' },
  call: ({ ctx }, args: UpdateInput) => update(ctx, args),
};

export const deleteTool: Tool = {
  name: 'kairos_delete',
  description: 'Remove protocols, only when the user asked for exactly this.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  changesProtocols: true,
  input: deleteInput,
  parameters: {},
  call: ({ ctx }, args: DeleteInput) => deleteChains(ctx, args),
};
