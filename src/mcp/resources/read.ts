import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { dump } from '../../operations/dump.ts';
import { stepUri } from '../../protocol/identity.ts';
import { CHAINS_URI, isStepUri, runIdOf } from './uris.ts';

/** `resources/read`. What is not there is the protocol's own error for it, with the URI. */
export async function readResource(ctx: OperationContext, uri: string): Promise<ReadResourceResult> {
  const content = await contentOf(ctx, uri);
  if (content === null) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, ...content }] };
}

async function contentOf(
  ctx: OperationContext,
  uri: string,
): Promise<{ mimeType: string; text: string } | null> {
  if (uri === CHAINS_URI) return { mimeType: 'application/json', text: await chainsText(ctx) };
  const runId = runIdOf(uri);
  if (runId !== null) {
    const text = await ledgerText(ctx, runId);
    return text === null ? null : { mimeType: 'application/jsonl', text };
  }
  if (!isStepUri(uri)) return null;
  try {
    const step = await dump(ctx, { uri });
    const whole = step.position?.step_index === 1 ? await dump(ctx, { uri, protocol: true }) : step;
    return { mimeType: 'text/markdown', text: whole.markdown_doc };
  } catch (error) {
    if (error instanceof KairosError && ['NOT_FOUND', 'INVALID_INPUT'].includes(error.code)) return null;
    throw error;
  }
}

async function chainsText({ store, caller }: OperationContext): Promise<string> {
  const chains = await store.listChains([caller.space]);
  return JSON.stringify(
    chains.map(({ chainId, slug, title, version, tags, stepCount, updatedAt }) => ({
      uri: stepUri(chainId, 1),
      slug,
      title,
      tags,
      step_count: stepCount,
      protocol_version: version,
      updated_at: updatedAt,
    })),
    null,
    2,
  );
}

async function ledgerText({ store, caller }: OperationContext, runId: string): Promise<string | null> {
  const run = await store.findRun(runId);
  if (run === null || run.space !== caller.space) return null;
  return (await store.readLines(runId)).map((line) => `${line}\n`).join('');
}
