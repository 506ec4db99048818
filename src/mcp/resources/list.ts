import type { ListResourcesResult, ListResourceTemplatesResult } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { OperationContext } from '../../operations/context.ts';
import { stepUri } from '../../protocol/identity.ts';
import { CHAINS_URI, isUuid, RUN_TEMPLATE, STEP_TEMPLATE } from './uris.ts';

/** Protocols in one page. */
const PAGE = 200;

/** `resources/list`: the list of protocols as one resource, then each protocol, page by page. */
export async function listResources(ctx: OperationContext, cursor?: string): Promise<ListResourcesResult> {
  if (cursor !== undefined && !isUuid(cursor)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  }
  // By key: a protocol that comes or goes between two pages moves no other out of sight.
  const found = await ctx.store.chainsAfter(ctx.caller.space, cursor ?? null, PAGE + 1);
  const chains = found.slice(0, PAGE);
  const page = chains.map(({ chainId, slug, title, stepCount, updatedAt }) => ({
    uri: stepUri(chainId, 1),
    name: slug,
    title,
    description: `Protocol of ${stepCount} ${stepCount === 1 ? 'step' : 'steps'}.`,
    mimeType: 'text/markdown',
    annotations: { lastModified: updatedAt },
  }));
  const overview = {
    uri: CHAINS_URI,
    name: 'chains',
    title: 'All protocols',
    description: 'Slug, title, first URI, tags and number of steps of every protocol here.',
    mimeType: 'application/json',
  };
  return {
    resources: cursor === undefined ? [overview, ...page] : page,
    ...(found.length > PAGE ? { nextCursor: chains.at(-1)!.chainId } : {}),
  };
}

/** `resources/templates/list`. */
export function listTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: [
      {
        uriTemplate: STEP_TEMPLATE,
        name: 'step',
        title: 'A step, or by its first step a whole protocol',
        description: 'As markdown that can be minted again. To run a protocol, call kairos_begin instead.',
        mimeType: 'text/markdown',
      },
      {
        uriTemplate: RUN_TEMPLATE,
        name: 'run',
        title: 'The record of a run',
        description:
          'One ledger entry a line, the seal last; kairos verify checks it. A long one names the URI of its next part.',
        mimeType: 'application/jsonl',
      },
    ],
  };
}
