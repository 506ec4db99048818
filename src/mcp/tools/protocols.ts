import { dump } from '../../operations/dump.ts';
import { deleteChains, mint } from '../../operations/mint.ts';
import {
  type DeleteInput,
  type DumpInput,
  deleteInput,
  deleteOutput,
  dumpInput,
  dumpOutput,
  type MintInput,
  mintInput,
  mintOutput,
  type SearchInput,
  type SpacesInput,
  searchInput,
  searchOutput,
  spacesInput,
  spacesOutput,
  type UpdateInput,
  updateInput,
  updateOutput,
} from '../../operations/schemas.ts';
import { search } from '../../operations/search.ts';
import { spaces } from '../../operations/spaces.ts';
import { update } from '../../operations/update.ts';
import type { Tool } from './tool.ts';

export const searchTool: Tool = {
  name: 'kairos_search',
  title: 'Find a protocol',
  description:
    'Find the protocol (a proven step-by-step procedure) for a task. Call it first, before doing work that may have a fixed way: releases, incidents, migrations, reviews. Answers choices, best first. Next: call kairos_begin with the uri of the choice that you pick.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: false,
  input: searchInput,
  parameters: {
    query: 'The task in a few words. Several phrasings separated by " | " find more than one.',
    limit: 'At most this many matches.',
    space: 'Another space than the one of this server.',
  },
  output: searchOutput,
  call: ({ ctx }, args: SearchInput) => search(ctx, args),
};

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
