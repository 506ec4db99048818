import { type SearchInput, searchInput, searchOutput } from '../../operations/schemas.ts';
import { search } from '../../operations/search.ts';
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
