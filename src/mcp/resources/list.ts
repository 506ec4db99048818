import type { ListResourcesResult, ListResourceTemplatesResult } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { OperationContext } from '../../operations/context.ts';
import { stepUri } from '../../protocol/identity.ts';
import { CHAINS_URI, RUN_TEMPLATE, STEP_TEMPLATE } from './uris.ts';

/** Protocols in one page. */
const PAGE = 200;

/** `resources/list`: the list of protocols as one resource, then each protocol, page by page. */
export async function listResources(ctx: OperationContext, cursor?: string): Promise<ListResourcesResult> {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0 || !/^\d*$/.test(cursor ?? '')) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  }
  const chains = await ctx.store.listChains([ctx.caller.space]);
  const page = chains.slice(from, from + PAGE).map(({ chainId, slug, title, stepCount, updatedAt }) => ({
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
    resources: from === 0 ? [overview, ...page] : page,
    ...(from + PAGE < chains.length ? { nextCursor: String(from + PAGE) } : {}),
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
        description: 'As markdown that can be minted again. To walk a protocol, call kairos_begin instead.',
        mimeType: 'text/markdown',
      },
      {
        uriTemplate: RUN_TEMPLATE,
        name: 'run',
        title: 'The record of a run',
        description: 'One ledger entry a line, the seal last; kairos verify checks it.',
        mimeType: 'application/jsonl',
      },
    ],
  };
}
