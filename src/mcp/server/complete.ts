import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { OperationContext } from '../../operations/context.ts';
import { stepUuid } from '../../protocol/identity.ts';
import { findPrompt } from '../prompts/index.ts';
import { RUN_TEMPLATE, STEP_TEMPLATE } from '../resources/uris.ts';

/** The protocol's own limit. */
const MAX_VALUES = 100;

/** `completion/complete`: values for the variables of resource templates and the arguments of prompts. */
export async function complete(ctx: OperationContext, { params }: CompleteRequest): Promise<CompleteResult> {
  const { ref, argument } = params;
  const values =
    ref.type === 'ref/prompt'
      ? await promptValues(ctx, ref.name, argument)
      : await templateValues(ctx, ref.uri, argument);
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

async function promptValues(
  ctx: OperationContext,
  name: string,
  argument: { name: string; value: string },
): Promise<string[]> {
  const prompt = findPrompt(ctx, name);
  if (prompt === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
  return (await prompt.complete[argument.name]?.(ctx, argument.value)) ?? [];
}

async function templateValues(
  { store, caller }: OperationContext,
  uri: string,
  { name, value }: { name: string; value: string },
): Promise<string[]> {
  const typed = value.toLowerCase();
  if (uri === STEP_TEMPLATE && name === 'uuid') {
    const chains = await store.listChains([caller.space]);
    // A slug or title that is typed leads to the id too.
    return chains
      .map(({ chainId, slug, title }) => ({ uuid: stepUuid(chainId, 1), names: [slug, title.toLowerCase()] }))
      .filter(({ uuid, names }) => [uuid, ...names].some((text) => text.startsWith(typed)))
      .map(({ uuid }) => uuid);
  }
  if (uri === RUN_TEMPLATE && name === 'id') {
    const runs = await store.findRuns({ spaces: [caller.space], actor: caller.actor, limit: 1000 });
    return runs.map(({ runId }) => runId).filter((runId) => runId.startsWith(typed));
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown template: ${uri}`);
}
