import { dump } from '../../operations/dump.ts';
import {
  type DumpInput,
  dumpInput,
  dumpOutput,
  type SearchInput,
  type SpacesInput,
  searchInput,
  searchOutput,
  spacesInput,
  spacesOutput,
} from '../../operations/schemas.ts';
import { search } from '../../operations/search.ts';
import { spaces } from '../../operations/spaces.ts';
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
