import { KairosError } from '../base/errors.ts';
import { isSlug } from '../protocol/identity.ts';
import type { RunFields } from '../run/walk-fields.ts';
import type { Revision } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { DEPRECATED, parseInput } from './input.ts';
import { beginRun, notFirstStep, resumeOrBegin, resumeRun } from './run/begin.ts';
import { handedOver, resolveUri } from './run/locate.ts';
import { type BeginInput, beginInput, type SearchOutput } from './schemas.ts';
import { search } from './search.ts';

/**
 * `kairos_begin`: creates a run of the protocol named by URI or slug and shows its first step. `settled`: the id that the run
 * is to have, where an answer may come twice.
 */
export async function begin(
  ctx: OperationContext,
  raw: BeginInput,
  settled: { runId?: string } = {},
): Promise<RunFields | SearchOutput> {
  const input = parseInput(beginInput, raw);
  if (input.query !== undefined && input.uri === undefined && input.key === undefined) {
    // The meaning of `kairos_begin` before `kairos_search` existed.
    const answer = await search(ctx, { query: input.query });
    return { ...answer, message: `${answer.message} ${DEPRECATED.beginQuery}` };
  }
  if (input.resume === true && input.uri === undefined && input.key === undefined) return takeUp(ctx);
  const revision = await namedRevision(ctx, input);
  if (revision === 'not-first') return notFirstStep((await resolveUri(ctx, input.uri!)).chainId);
  const given = { ...settled, ...(input.inputs === undefined ? {} : { inputs: input.inputs }) };
  return input.resume === true ? resumeOrBegin(ctx, revision, given) : beginRun(ctx, revision, given);
}

/** `resume` alone: the run that another session or client handed over. */
async function takeUp(ctx: OperationContext): Promise<RunFields> {
  const runId = await handedOver(ctx);
  if (runId !== null) return resumeRun(ctx, runId);
  throw new KairosError('INVALID_INPUT', 'no run was handed over: uri or key is required', {
    hint: 'An open run is handed over with the file that KAIROS_HANDOVER_FILE names.',
  });
}

async function namedRevision(
  ctx: OperationContext,
  { uri, key }: { uri?: string | undefined; key?: string | undefined },
): Promise<Revision | 'not-first'> {
  if ((uri === undefined) === (key === undefined)) {
    throw new KairosError('INVALID_INPUT', 'exactly one of uri and key is needed', {
      hint: 'uri is the kairos://mem/… of a first step, key the slug of a protocol.',
    });
  }
  if (key !== undefined) return revisionBySlug(ctx, key);
  const { chainId, index } = await resolveUri(ctx, uri!);
  if (index !== 1) return 'not-first';
  const head = await ctx.store.head(chainId);
  if (head === null) {
    throw new KairosError('NOT_FOUND', `the protocol at ${uri} was deleted`, {
      hint: 'Its runs can still be shown and verified, but no new run can begin.',
    });
  }
  return head;
}

/** The head of the chain with this slug in the caller's space. */
export async function revisionBySlug(ctx: OperationContext, slug: string): Promise<Revision> {
  if (!isSlug(slug)) {
    throw new KairosError('INVALID_SLUG', `${JSON.stringify(slug)} cannot be a slug`, {
      hint: 'Slugs are lower-case words of a-z and 0-9 joined by hyphens, at most 64 characters.',
    });
  }
  const head = await ctx.store.headBySlug(ctx.caller.space, slug);
  if (head !== null) return head;
  throw new KairosError(
    'NOT_FOUND',
    `no protocol has the slug ${JSON.stringify(slug)} in space ${ctx.caller.space}`,
    {
      hint:
        ctx.caller.face === 'mcp'
          ? 'Look for it with kairos_search.'
          : `See what there is with: ${ctx.commandLine(['list'])}`,
    },
  );
}
