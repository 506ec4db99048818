import * as z from 'zod/mini';
import { checkSpace, RESERVED_CREATE_ID, RESERVED_REFINE_ID, stepUri } from '../protocol/identity.ts';
import { HOLD, NEXT } from '../run/wording.ts';
import { type ChainSummary, isClearMatch, type SearchHit } from '../search/classify.ts';
import { phraseAsWritten, type WrittenPhrase } from '../search/document.ts';
import { embeddingTexts } from '../search/vectors.ts';
import { isReadWhole, PHRASINGS_MAX, WORDS_MAX } from '../search/words.ts';
import { orDamaged } from '../store/intact.ts';
import { queryVectors } from './chain-vectors.ts';
import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';

export const searchInput = z.strictObject({
  query: z.string().check(z.refine((text) => text.trim() !== '', 'is missing')),
  limit: z._default(z.int().check(z.gte(1), z.lte(50)), 10),
  space: z.optional(z.string()),
});
export const choiceSchema = z.object({
  uri: z.string(),
  label: z.string(),
  chain_label: z.string(),
  /** Of a match: the beginning of the protocol's description, absent where it has none. */
  description: z.optional(z.string()),
  score: z.nullable(z.number()),
  role: z.enum(['match', 'refine', 'create']),
  tags: z.array(z.string()),
  next_action: z.string(),
  protocol_version: z.nullable(z.string()),
});
export const searchOutput = z.object({
  must_obey: z.literal(true),
  message: z.string(),
  next_action: z.string(),
  protocol_status: z.enum(['match', 'partial_match', 'no_protocol']),
  choices: z.array(choiceSchema),
  start_here: z.optional(z.string()),
  chain_label: z.optional(z.string()),
  total_steps: z.optional(z.int()),
});
export type SearchInput = z.input<typeof searchInput>;
export type SearchOutput = z.infer<typeof searchOutput>;
export type Choice = z.infer<typeof choiceSchema>;

/** `kairos_search`: the protocols that fit a query, best first, and the call for each. */
export async function search(ctx: OperationContext, raw: SearchInput): Promise<SearchOutput> {
  return (await searchWithReasons(ctx, raw)).answer;
}

/** Why a protocol is among the matches. */
export interface MatchReason {
  uri: string;
  slug: string;
  match: SearchHit['match'];
  /** Words of the request that the protocol contains. */
  words: string[];
  /** The title, slug or trigger that the request comes nearest to; null when it shares no word with any. */
  phrase: WrittenPhrase | null;
  /** How near the request is by meaning, from 0 to 1, and to which text; null when it isn't. */
  meaning: { nearness: number; text: string } | null;
}

/** The answer of `search`, and the reason of each match in the same order. */
export async function searchWithReasons(
  ctx: OperationContext,
  raw: SearchInput,
): Promise<{ answer: SearchOutput; reasons: MatchReason[] }> {
  const input = parseInput(searchInput, raw);
  const space = checkSpace(input.space ?? ctx.caller.space);
  // Whether a match stands clear depends on its rivals, however few results the caller asks for.
  const limit = Math.max(input.limit, RIVALS);
  const { vectors, note } = await queryVectors(ctx, input.query);
  const notes = [note, isReadWhole(input.query) ? undefined : readInPart()].filter(
    (each) => each !== undefined,
  );
  const said = (message: string) => [message, ...notes].join(' ');
  const hits = await ctx.store.searchChains({
    query: input.query,
    limit,
    spaces: [space],
    ...(vectors === undefined ? {} : { vectors }),
  });
  const found = await Promise.all(hits.slice(0, input.limit).map((hit) => describeMatch(ctx, hit)));
  const matches = found.map(({ choice: match }) => match);
  const reasons = found.map(({ reason }) => reason);
  const first = hits[0];
  if (first !== undefined && isClearMatch(hits)) {
    const answer: SearchOutput = {
      must_obey: true,
      message: said(
        matches.length === 1 ? 'One protocol matches.' : 'One protocol matches best. The others match less.',
      ),
      next_action: NEXT.followChoice,
      protocol_status: 'match',
      choices: matches,
      start_here: stepUri(first.chain.chainId, 1),
      chain_label: first.chain.title,
      total_steps: first.chain.stepCount,
    };
    return { answer, reasons };
  }
  const isElsewhere = matches.length === 0 && space !== ctx.caller.space;
  const isEmpty = isElsewhere && (await ctx.store.chainsAfter(space, null, 1)).length === 0;
  const answer: SearchOutput = {
    must_obey: true,
    message: said(isEmpty ? EMPTY_SPACE : unclear(matches.length, ctx.readOnly)),
    next_action: NEXT.pickChoice,
    protocol_status: matches.length === 0 ? 'no_protocol' : 'partial_match',
    choices: [...matches, ...(await reservedChoices(ctx))],
  };
  return { answer, reasons };
}

/** A function, because the first formatting of a number loads the tables of every language. */
const readInPart = () =>
  `The request is too long: only its first ${WORDS_MAX.toLocaleString('en')} words and ${PHRASINGS_MAX} phrasings were read.`;

const EMPTY_SPACE =
  'There are no protocols in that space here, so nothing was searched. Leave space out, or call kairos_spaces, which lists the spaces.';

/** What to try before a protocol is created that may exist. */
const PHRASINGS = 'search again with several other phrasings in one query (a | b | c)';

/** Returns the message for several matches, or one, when none stands clear. */
function unclear(matches: number, readOnly: boolean): string {
  const create = readOnly ? '' : '; create a protocol only when none fits';
  if (matches === 0) return `No protocol matches. S${PHRASINGS.slice(1)}${create}.`;
  if (matches === 1) return `One protocol may match. Follow it if it fits. Otherwise ${PHRASINGS}${create}.`;
  return `Several protocols may match, and none is clearly best. Pick the one that fits, or ${PHRASINGS}${create}.`;
}

/** The number of hits that decide whether one stands clear. */
const RIVALS = 10;

async function describeMatch(
  ctx: OperationContext,
  { chain, score, match, why }: SearchHit,
): Promise<{ choice: Choice; reason: MatchReason }> {
  // A chain that was changed in the store doesn't prevent the other results; the next call rejects it.
  const head = await orDamaged(ctx.store.revisionByDigest(chain.chainId, chain.digest));
  const content = head === null || head === 'damaged' ? null : head.content;
  const label = content?.steps[0]?.label ?? chain.title;
  const near = why.meaning;
  return {
    choice: {
      ...choice(chain, label, 'match', Math.round(score * 1000) / 1000),
      ...described(content?.description ?? ''),
    },
    reason: {
      uri: stepUri(chain.chainId, 1),
      slug: chain.slug,
      match,
      words: why.words,
      phrase: content === null || why.phrase === null ? null : phraseAsWritten(content, why.phrase),
      meaning:
        near === null
          ? null
          : {
              nearness: Math.round(near.nearness * 100) / 100,
              text: (content === null ? undefined : embeddingTexts(content)[near.part]) ?? chain.title,
            },
    },
  };
}

/** Characters of a description: enough to distinguish two protocols, for ten of them in an answer. */
const DESCRIPTION_ROOM = 160;

/** The first paragraph of a description, in one line, cut between words. */
function described(markdown: string): Pick<Choice, 'description'> {
  const [paragraph = ''] = markdown
    .replaceAll(/<!--.*?(?:-->|$)/gs, '')
    .trim()
    .split(/\n\s*\n/);
  const line = paragraph.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return {};
  if (line.length <= DESCRIPTION_ROOM) return { description: line };
  const cut = Array.from(line.slice(0, DESCRIPTION_ROOM)).slice(0, -1).join('');
  return { description: `${cut.replace(/\s\S{0,40}$/u, '')}…` };
}

async function reservedChoices(ctx: OperationContext): Promise<Choice[]> {
  const refine = await ctx.store.head(RESERVED_REFINE_ID);
  // A read-only server can't store a protocol, so it doesn't offer to create one.
  const create = ctx.readOnly ? null : await ctx.store.head(RESERVED_CREATE_ID);
  return [
    { head: refine, role: 'refine' as const },
    { head: create, role: 'create' as const },
  ].flatMap(({ head, role }) =>
    head === null
      ? []
      : [
          choice(
            {
              chainId: head.chainId,
              title: head.content.title,
              tags: head.content.tags,
              version: head.content.version,
            },
            head.content.steps[0]?.label ?? head.content.title,
            role,
            null,
          ),
        ],
  );
}

function choice(
  chain: Pick<ChainSummary, 'chainId' | 'title' | 'tags' | 'version'>,
  label: string,
  role: Choice['role'],
  score: number | null,
): Choice {
  const uri = stepUri(chain.chainId, 1);
  return {
    uri,
    label,
    chain_label: chain.title,
    score,
    role,
    tags: chain.tags,
    next_action: NEXT.begin(uri),
    protocol_version: chain.version,
  };
}

/** The protocol that stands clear for a request; null when none does. */
export async function clearProtocol(ctx: OperationContext, request: string): Promise<string | null> {
  const query = request.trim().slice(0, MAX_REQUEST);
  if (query === '') return null;
  const { start_here: uri, choices } = await search(ctx, { query, limit: 1 });
  const [first] = choices;
  if (uri === undefined || first === undefined) return null;
  const head = await ctx.store.resolveStep(uri.slice('kairos://mem/'.length));
  const revision = head === null ? null : await ctx.store.head(head.chainId);
  return revision === null ? null : HOLD.stands(revision.content.slug, NEXT.begin(uri));
}

/** Longer requests are cut before the search. */
const MAX_REQUEST = 4000;
