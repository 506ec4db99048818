import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod/mini';
import { KairosError } from '../base/errors.ts';
import { chainId, checkSpace, digest, stepUri, stepUuid, toContent } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import { isVersion } from '../protocol/terms.ts';
import { areTitlesAlike, mayBeTheSame, type SearchHit } from '../search/classify.ts';
import type { Revision } from '../store/port.ts';
import { headVectors, queryVectors } from './chain-vectors.ts';
import { type OperationContext, untilFirst } from './context.ts';
import { type DocumentFinding, findingSchema, lintFindings, requireDocument } from './findings.ts';
import { parseInput, requireWritable } from './input.ts';
import { lastListed, loosened, refuseWeakening } from './weaken.ts';

export const mintInput = z.strictObject({
  markdown_doc: z.string(),
  llm_model_id: z.optional(z.string()),
  force_update: z._default(z.boolean(), false),
  protocol_version: z.optional(z.string()),
  space: z.optional(z.string()),
});
export const mintOutput = z.object({
  items: z.array(
    z.object({ uri: z.string(), memory_uuid: z.string(), label: z.string(), tags: z.array(z.string()) }),
  ),
  status: z.literal('stored'),
  warnings: z.array(findingSchema),
});
export type MintInput = z.input<typeof mintInput>;
export type MintOutput = z.infer<typeof mintOutput>;

/** H1s in one document: each is checked and committed by itself, and nothing else is served meanwhile. */
const MAX_CHAINS = 100;

interface Planned {
  id: string;
  content: ChainContent;
  digest: string;
  head: Revision | null;
  weakened: string | null;
  /** An existing chain that may be the same procedure in other words. */
  likeness: SearchHit | null;
}

/**
 * `kairos_mint`: stores every chain of a document. All chains are checked before the first is written.
 * Identical content changes nothing; other content under an existing slug needs `force_update` and becomes a
 * new revision.
 */
export async function mint(ctx: OperationContext, raw: MintInput, path?: string): Promise<MintOutput> {
  requireWritable(ctx);
  const input = parseInput(mintInput, raw);
  const space = checkSpace(input.space ?? ctx.caller.space);
  if (input.protocol_version !== undefined && !isVersion(input.protocol_version)) {
    throw new KairosError(
      'INVALID_INPUT',
      `protocol_version ${JSON.stringify(input.protocol_version)} is not a semantic version`,
      { hint: 'Write three numbers, for example 1.2.0.' },
    );
  }
  const { document, parsed } = await requireDocument(input.markdown_doc, path);
  requireFew(document.chains.length);
  await nextTurn();
  const findings = await lintFindings(parsed, ctx.redact);
  const planned: Planned[] = [];
  await nextTurn();
  for (const chain of document.chains) {
    const content = toContent(chain);
    if (input.protocol_version !== undefined) content.version = input.protocol_version;
    planned.push(await plan(ctx, space, content, input.force_update));
    await nextTurn();
  }
  for (const item of planned) {
    await store(ctx, space, item, input);
    // The embedded store answers without waiting: other calls get their turn between two chains.
    await nextTurn();
  }
  return {
    items: planned.flatMap(itemsOf),
    status: 'stored',
    warnings: [
      ...planned.flatMap(({ likeness }, at) => {
        const place = document.chains[at]?.titlePlace.start;
        return likeness === null || place === undefined ? [] : [likenessWarning(likeness, place)];
      }),
      ...findings,
    ],
  };
}

function requireFew(chains: number): void {
  if (chains <= MAX_CHAINS) return;
  throw new KairosError(
    'INVALID_INPUT',
    `the document contains ${chains} protocols, more than the limit of ${MAX_CHAINS}`,
    { hint: 'Nothing was stored. Split the document and mint each part.' },
  );
}

async function plan(
  ctx: OperationContext,
  space: string,
  content: ChainContent,
  force: boolean,
): Promise<Planned> {
  const id = chainId(space, content.slug);
  const head = await ctx.store.headBySlug(space, content.slug);
  const hash = digest(content);
  const planned: Planned = {
    id: head?.chainId ?? id,
    content,
    digest: hash,
    head,
    weakened: null,
    likeness: null,
  };
  if (head?.digest === hash) return planned;
  if (head !== null && !force) throw duplicate(ctx, content, head);
  if (head === null && !force) {
    const others = await findSimilar(ctx, space, content);
    const same = others.find(({ chain }) => areTitlesAlike(chain.title, content.title));
    if (same !== undefined) throw tooSimilar(ctx, content, same);
    planned.likeness = others.find(mayBeTheSame) ?? null;
  }
  // A deleted chain that returns counts as changed, so that deleting can't drop its demands.
  const before = head ?? (await lastListed(ctx.store, id));
  if (before === null) return planned;
  planned.weakened = loosened(before.content, content);
  refuseWeakening(ctx, planned.weakened, head === null ? before.number : null);
  return planned;
}

/**
 * On a conflict, plan again against the new head: it has the same content, or other content to compare with.
 */
async function store(ctx: OperationContext, space: string, first: Planned, input: MintInput): Promise<void> {
  const { content } = first;
  let planned: Planned | null = first;
  const done = await untilFirst(async () => {
    const item = planned ?? (await plan(ctx, space, content, input.force_update ?? false));
    planned = null;
    return put(ctx, space, item, input.llm_model_id === undefined ? null : ctx.redact(input.llm_model_id));
  });
  if (done !== null) return;
  throw new KairosError('STORE_UNAVAILABLE', `other writers change ${content.slug} continuously`, {
    hint: 'Try again in a moment.',
  });
}

async function put(
  ctx: OperationContext,
  space: string,
  item: Planned,
  llmModelId: string | null,
): Promise<'stored' | 'unchanged' | 'conflict'> {
  if (item.head?.digest === item.digest) return 'unchanged';
  return ctx.store.putRevision(
    {
      digest: item.digest,
      chainId: item.id,
      space,
      content: item.content,
      author: ctx.caller.actor,
      llmModelId,
      createdAt: new Date(ctx.clock()).toISOString(),
      weakened: item.weakened,
      listed: true,
    },
    item.head?.digest ?? null,
    await headVectors(ctx, item.content),
  );
}

function itemsOf({ id, content }: Planned): MintOutput['items'] {
  return content.steps.map(({ label }, at) => ({
    uri: stepUri(id, at + 1),
    memory_uuid: stepUuid(id, at + 1),
    label,
    tags: [...content.tags],
  }));
}

function duplicate(ctx: OperationContext, content: ChainContent, head: Revision): KairosError {
  const uri = stepUri(head.chainId, 1);
  return new KairosError(
    'DUPLICATE_CHAIN',
    `a chain with the slug ${content.slug} exists with other content: ${uri}`,
    {
      hint: compareFirst(
        ctx,
        head.content.slug,
        uri,
        (force) => `Then mint with ${force} to make a new revision, or choose another slug.`,
      ),
      data: { uri, slug: head.content.slug },
    },
  );
}

function tooSimilar(
  ctx: OperationContext,
  content: ChainContent,
  { chain: { chainId: id, slug, title } }: SearchHit,
): KairosError {
  const uri = stepUri(id, 1);
  return new KairosError(
    'SIMILAR_MEMORY_FOUND',
    `the title ${JSON.stringify(content.title)} is nearly the same as ${JSON.stringify(title)}: ${uri}`,
    {
      hint: compareFirst(
        ctx,
        slug,
        uri,
        (force) => `To keep both, give one of them a more distinct title, or mint with ${force}.`,
      ),
      data: { uri, slug },
    },
  );
}

/** How to see the protocol that exists, in the words of the caller's interface. */
function compareFirst(
  { caller, commandLine }: OperationContext,
  slug: string,
  uri: string,
  then: (force: string) => string,
): string {
  return caller.interface === 'cli'
    ? `Compare first: ${commandLine(['dump', slug])}. ${then('--force')}`
    : `Compare first: kairos_dump with uri ${uri} and protocol true. ${then('force_update')}`;
}

function likenessWarning(
  { chain: { chainId: id, title } }: SearchHit,
  { line, column }: { line: number; column: number },
): DocumentFinding {
  const reason =
    `${JSON.stringify(title)} (${stepUri(id, 1)}) may describe the same task. Compare both: ` +
    'if it does, keep one; if not, keep both, with distinct titles.';
  return { ruleId: 'similar-protocol', severity: 'warning', reason, line, column };
}

/** A description can be long; its beginning names the task. */
const DESCRIPTION_WORDS = 40;

/** Other live chains of the space that title or description find. One with the same slug may have just been added. */
async function findSimilar(
  ctx: OperationContext,
  space: string,
  { title, description, slug }: Pick<ChainContent, 'title' | 'description' | 'slug'>,
): Promise<SearchHit[]> {
  const words = description.split(/\s+/).slice(0, DESCRIPTION_WORDS).join(' ');
  const query = [title, words].map((text) => text.replaceAll('|', '/')).join(' | ');
  const { vectors } = await queryVectors(ctx, query);
  const hits = await ctx.store.searchChains({
    query,
    limit: 10,
    spaces: [space],
    ...(vectors === undefined ? {} : { vectors }),
  });
  return hits.filter(({ chain }) => chain.slug !== slug);
}
