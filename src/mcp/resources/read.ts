import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { dump } from '../../operations/dump.ts';
import { stepUri } from '../../protocol/identity.ts';
import { CHAINS_URI, chainsAfterUri, isStepUri, runOfUri } from './uris.ts';

/** What one answer holds at most, in UTF-16 units of text: clients close the connection over some megabytes. */
const MAX_LENGTH = 500_000;
/** Protocols that are read at once. */
const PAGE = 500;

/** `resources/read`. A missing resource is the protocol's own error, with the URI. */
export async function readResource(ctx: OperationContext, uri: string): Promise<ReadResourceResult> {
  const content = await contentOf(ctx, uri);
  if (content === null) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, ...content }] };
}

async function contentOf(
  ctx: OperationContext,
  uri: string,
): Promise<{ mimeType: string; text: string } | null> {
  const after = chainsAfterUri(uri);
  if (after !== undefined) return { mimeType: 'application/json', text: await chainsText(ctx, after) };
  const run = runOfUri(uri);
  if (run !== null) {
    const text = await ledgerText(ctx, run.runId, run.from);
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

async function chainsText({ store, caller }: OperationContext, after: string | null): Promise<string> {
  const items: string[] = [];
  let length = 0;
  let last = after;
  for (;;) {
    const page = await store.chainsAfter(caller.space, last, PAGE);
    for (const { chainId, slug, title, version, tags, stepCount, updatedAt } of page) {
      const item = JSON.stringify({
        uri: stepUri(chainId, 1),
        slug,
        title,
        tags,
        step_count: stepCount,
        protocol_version: version,
        updated_at: updatedAt,
      });
      length += item.length;
      if (length > MAX_LENGTH && items.length > 0)
        return listOf([...items, moreAt(`${CHAINS_URI}?after=${last}`)]);
      items.push(item);
      last = chainId;
    }
    if (page.length < PAGE) return listOf(items);
  }
}

function listOf(items: readonly string[]): string {
  return `[\n${items.map((item) => `  ${item}`).join(',\n')}\n]`;
}

/** Stands in the place of what the answer has no room for. */
function moreAt(uri: string): string {
  return JSON.stringify({ more: 'This answer has no room for the rest. Read it from this URI.', uri });
}

async function ledgerText(
  { store, caller }: OperationContext,
  runId: string,
  from: number,
): Promise<string | null> {
  const run = await store.findRun(runId);
  if (run === null || run.space !== caller.space) return null;
  const lines = await store.readLines(runId, from);
  let length = 0;
  const fit = lines.findIndex((line, at) => {
    length += line.length;
    return at > 0 && length > MAX_LENGTH;
  });
  const shown =
    fit === -1 ? lines : [...lines.slice(0, fit), moreAt(`kairos://run/${runId}?from=${from + fit}`)];
  return shown.map((line) => `${line}\n`).join('');
}
