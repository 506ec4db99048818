import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { dump } from '../../operations/dump.ts';
import { stepUri } from '../../protocol/identity.ts';

/** The most text of one answer, in bytes of its JSON: no answer has more than 1 MiB. */
const MAX_BYTES = 900_000;
/** Protocols that are read together. */
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
  const [, start, from] = /^(kairos:\/\/mem\/[^?]*)\?from=(\d{1,9})$/.exec(uri) ?? [];
  if (start !== undefined) return markdownOf(ctx, start, Number(from));
  const after = chainsAfterUri(uri);
  if (after !== undefined) return { mimeType: 'application/json', text: await chainsText(ctx, after) };
  const run = runOfUri(uri);
  if (run !== null) {
    const text = await ledgerText(ctx, run.runId, run.from);
    return text === null ? null : { mimeType: 'application/jsonl', text };
  }
  return markdownOf(ctx, uri, 0);
}

async function markdownOf(
  ctx: OperationContext,
  uri: string,
  from: number,
): Promise<{ mimeType: string; text: string } | null> {
  if (!isStepUri(uri)) return null;
  try {
    const step = await dump(ctx, { uri });
    const whole = step.position?.step_index === 1 ? await dump(ctx, { uri, protocol: true }) : step;
    return {
      mimeType: 'text/markdown',
      text: partOf(whole.markdown_doc.slice(from), MAX_BYTES, (end) => `${uri}?from=${from + end}`),
    };
  } catch (error) {
    if (error instanceof KairosError && ['NOT_FOUND', 'INVALID_INPUT'].includes(error.code)) return null;
    throw error;
  }
}

/** As much of a text as there is room for, in whole lines where it has some, with words on where the rest is. */
export function partOf(text: string, room: number, restAt: (end: number) => string): string {
  if (bytesOf(text) <= room) return text;
  let length = text.length;
  while (bytesOf(text.slice(0, length)) > room) length = Math.floor(length * 0.9);
  const line = text.lastIndexOf('\n', length) + 1;
  const end = line > 0 ? line : length;
  return `${text.slice(0, end)}\n[The answer has no room for the rest. Read it from the resource ${restAt(end)}]\n`;
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
      length += bytesOf(item);
      if (length > MAX_BYTES && items.length > 0)
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

/** Replaces what does not fit into the answer. */
function moreAt(uri: string): string {
  return JSON.stringify({ more: 'This answer has no room for the rest. Read it from this URI.', uri });
}

/** Replaces an entry that is longer than an answer. */
function tooLong(seq: number): string {
  return JSON.stringify({
    seq,
    left_out: 'This entry is longer than an answer. See it with: kairos runs export RUN',
  });
}

/** What a text needs as a part of an answer, where it is escaped again. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
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
  const fit = lines.findIndex((line) => {
    length += bytesOf(line);
    return length > MAX_BYTES;
  });
  const shown =
    fit === -1
      ? lines
      : fit === 0
        ? [tooLong(from), moreAt(`kairos://run/${runId}?from=${from + 1}`)]
        : [...lines.slice(0, fit), moreAt(`kairos://run/${runId}?from=${from + fit}`)];
  return shown.map((line) => `${line}\n`).join('');
}

/** The list of protocols. Steps are `kairos://mem/<uuid>`. */
const CHAINS_URI = 'kairos://chains';
export const STEP_TEMPLATE = 'kairos://mem/{uuid}';
export const RUN_TEMPLATE = 'kairos://run/{id}';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Where `kairos://chains` or `kairos://chains?after=<uuid>` begins; undefined for another URI. */
function chainsAfterUri(uri: string): string | null | undefined {
  if (uri === CHAINS_URI) return null;
  const after = /^kairos:\/\/chains\?after=(.*)$/.exec(uri)?.[1];
  return after !== undefined && isUuid(after) ? after.toLowerCase() : undefined;
}

/** The run in `kairos://run/<id>`, and the entry to begin with (`?from=<number>`), or null. */
function runOfUri(uri: string): { runId: string; from: number } | null {
  const [, id = '', from = '0'] = /^kairos:\/\/run\/([^?]*)(?:\?from=(\d{1,9}))?$/.exec(uri) ?? [];
  return isUuid(id) ? { runId: id.toLowerCase(), from: Number(from) } : null;
}

function isStepUri(uri: string): boolean {
  return uri.startsWith('kairos://mem/');
}

/** Protocols in one page. */
const LIST_PAGE = 200;

/** `resources/list`: the list of protocols as one resource, then each protocol, page by page. */
export async function listResources(ctx: OperationContext, cursor?: string): Promise<ListResourcesResult> {
  if (cursor !== undefined && !isUuid(cursor)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  }
  // By key: a protocol that comes or goes between two pages moves no other out of sight.
  const found = await ctx.store.chainsAfter(ctx.caller.space, cursor ?? null, LIST_PAGE + 1);
  const chains = found.slice(0, LIST_PAGE);
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
    ...(found.length > LIST_PAGE ? { nextCursor: chains.at(-1)!.chainId } : {}),
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
