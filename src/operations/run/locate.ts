import { sha256Hex } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import { readSolution } from '../../proof/solution.ts';
import { deriveSlug, isSlug, parseMemUri, stepUri } from '../../protocol/identity.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { MESSAGES, NEXT } from '../../run/wording.ts';
import { requireIntactContent } from '../../store/intact.ts';
import type { Revision, RunRow } from '../../store/port.ts';
import type { OperationContext } from '../context.ts';
import { quotedInput } from '../input.ts';

/** The index of a URI that names no step. */
export const NO_STEP = 0;

/** Fewer characters could also begin the id of another run. */
const MIN_RUN_PREFIX = 4;

export function noRun({ caller, commandLine }: OperationContext, runId: string): KairosError {
  return new KairosError(
    'RUN_NOT_FOUND',
    `there is no run ${JSON.stringify(runId)} in space ${caller.space}`,
    {
      hint: `${runId.length < MIN_RUN_PREFIX ? `Give at least ${MIN_RUN_PREFIX} characters of an id, or latest. ` : ''}List the runs with: ${commandLine(['runs'])}`,
    },
  );
}

interface StepReference {
  chainId: string;
  /** 1-based. */
  index: number;
}

/** What a URI names. An unknown one is an error: it must never look like an end. */
export async function resolveUri(ctx: OperationContext, uri: string): Promise<StepReference> {
  const uuid = parseMemUri(uri);
  if (uuid === null) {
    // A slug is the first step of its protocol.
    const head = isSlug(uri) ? await ctx.store.headBySlug(ctx.caller.space, uri) : null;
    if (head !== null) return { chainId: head.chainId, index: 1 };
    throw new KairosError('INVALID_INPUT', `${quotedInput(uri)} is not a step's URI`, {
      hint:
        ctx.caller.interface === 'cli'
          ? `A URI looks like kairos://mem/<uuid>. List the protocols with: ${ctx.commandLine(['list'])}`
          : 'A URI looks like kairos://mem/<uuid>; kairos_search and kairos_begin give them out.',
    });
  }
  const step = await ctx.store.resolveStep(uuid);
  if (step === null) {
    throw new KairosError('NOT_FOUND', `no step has the URI ${uri}`, {
      hint:
        ctx.caller.interface === 'cli'
          ? `List the protocols with: ${ctx.commandLine(['list'])}`
          : 'Look for the protocol with kairos_search.',
    });
  }
  return step;
}

/**
 * The same for a call that belongs to a run. An agent that invents a URI is shown what is pending in the run that its run_id or
 * nonce names, else in the latest open one of its session: the answer is OUT_OF_ORDER with the right call, not an error without one.
 */
export async function resolveUriOfCall(ctx: OperationContext, call: RunReference): Promise<StepReference> {
  try {
    return await resolveUri(ctx, call.uri);
  } catch (error) {
    const run =
      ctx.caller.interface === 'mcp' && error instanceof KairosError ? await namedRun(ctx, call) : null;
    if (run === null) throw error;
    return { chainId: run.chainId, index: NO_STEP };
  }
}

async function namedRun(ctx: OperationContext, { runId, solution }: RunReference): Promise<RunRow | null> {
  const { store, caller } = ctx;
  if (runId !== undefined) {
    const run = await store.findRun(runId);
    return run?.space === caller.space ? run : null;
  }
  const issuer = await issuerOf(ctx, solution);
  if (issuer !== null || caller.session === null) return issuer;
  const { session, space } = caller;
  const [latest] = await store.findRuns({ spaces: [space], session, open: true, limit: 1 });
  return latest ?? null;
}

interface RunReference {
  uri: string;
  runId: string | undefined;
  solution: unknown;
}

/** SPEC 3.3: the run named, else the one that issued the nonce, else this session's latest on the chain, else the caller's only open one. */
export async function locateRun(
  ctx: OperationContext,
  tool: 'kairos_next' | 'kairos_attest' | 'kairos_propose',
  { uri, runId, solution }: RunReference,
  { chainId }: StepReference,
): Promise<{ run: RunRow } | { answer: RunFields }> {
  const { store, caller } = ctx;
  const first = stepUri(chainId, 1);
  if (runId !== undefined) {
    const run = await store.findRun(runId);
    return run !== null && run.space === caller.space ? { run } : { answer: notFound(first) };
  }
  const issuer = await issuerOf(ctx, solution);
  if (issuer !== null) return { run: issuer };
  if (caller.session !== null) {
    const [latest] = await store.findRuns({
      spaces: [caller.space],
      chainId,
      session: caller.session,
      limit: 1,
    });
    if (latest !== undefined) return { run: latest };
  }
  const open = await store.findRuns({ spaces: [caller.space], chainId, actor: caller.actor, open: true });
  const [only] = open;
  if (only === undefined) return { answer: notFound(first) };
  if (open.length === 1) return { run: only };
  const candidates = open.map((run) => run.runId);
  return { answer: ambiguous(tool, uri, candidates) };
}

async function issuerOf({ store, caller }: OperationContext, solution: unknown): Promise<RunRow | null> {
  const { nonce } = readSolution(solution).solution;
  if (nonce === null) return null;
  const runId = await store.findRunByNonce(sha256Hex(nonce));
  if (runId === null) return null;
  const run = await store.findRun(runId);
  return run?.space === caller.space ? run : null;
}

function notFound(first: string): RunFields {
  return {
    must_obey: true,
    next_action: NEXT.begin(first),
    protocol_status: 'blocked',
    message: MESSAGES.runNotFound,
    error_code: 'RUN_NOT_FOUND',
  };
}

function ambiguous(tool: string, uri: string, candidates: string[]): RunFields {
  return {
    must_obey: true,
    next_action: NEXT.chooseRun(tool, uri),
    protocol_status: 'blocked',
    message: MESSAGES.ambiguousRun,
    error_code: 'AMBIGUOUS_RUN',
    candidates,
  };
}

/** Some clients fill both. */
export async function isSameProtocol(ctx: OperationContext, uri: string, key: string): Promise<boolean> {
  const uuid = parseMemUri(uri);
  const step = uuid === null ? null : await ctx.store.resolveStep(uuid);
  const head = await ctx.store.headBySlug(ctx.caller.space, key);
  return key === uri || (step !== null && step.chainId === head?.chainId);
}

/** The head of the chain with this slug in the caller's space, or with the title that this is the slug of. */
export async function revisionBySlug(ctx: OperationContext, given: string): Promise<Revision> {
  const slug = isSlug(given) ? given : deriveSlug(given);
  const head = await ctx.store.headBySlug(ctx.caller.space, slug);
  if (head !== null) return head;
  if (slug !== given) {
    throw new KairosError('INVALID_SLUG', `${quotedInput(given)} cannot be a slug`, {
      hint: 'Slugs are lower-case words of a-z and 0-9 joined by hyphens, at most 64 characters.',
    });
  }
  throw new KairosError(
    'NOT_FOUND',
    `no protocol has the slug ${quotedInput(given)} in space ${ctx.caller.space}`,
    {
      hint:
        ctx.caller.interface === 'mcp'
          ? 'Look for it with kairos_search.'
          : `List the protocols with: ${ctx.commandLine(['list'])}`,
    },
  );
}

/** The revisions with these digests that a run follows. Throws NOT_FOUND for one that the store has lost. */
export async function followedRevisions(
  { store }: OperationContext,
  { runId, chainId }: Pick<RunRow, 'runId' | 'chainId'>,
  digests: readonly string[],
): Promise<Revision[]> {
  const followed: Revision[] = [];
  for (const digest of digests) {
    const revision = await store.revisionByDigest(chainId, digest);
    if (revision === null)
      throw new KairosError(
        'NOT_FOUND',
        `run ${runId} is pinned to revision ${digest}, which the store has lost`,
        { hint: 'The ledger can still be exported and verified. The run cannot continue.' },
      );
    followed.push(requireIntactContent(revision));
  }
  return followed;
}

/** A run of this space by its id, a unique beginning of one, or `latest`. Throws RUN_NOT_FOUND. */
export async function storedRun(ctx: OperationContext, reference: string): Promise<RunRow> {
  const { store, caller } = ctx;
  const text = reference.toLowerCase();
  const spaces = [caller.space];
  if (text === 'latest') {
    const [newest] = await store.findRuns({ spaces, limit: 1 });
    if (newest !== undefined) return newest;
    throw noRun(ctx, reference);
  }
  const run = await store.findRun(text);
  if (run !== null && run.space === caller.space) return run;
  if (text.length < MIN_RUN_PREFIX || !/^[0-9a-f-]+$/.test(text)) throw noRun(ctx, reference);
  const [found, another] = await store.findRuns({ spaces, idPrefix: text, limit: 2 });
  if (found === undefined) throw noRun(ctx, reference);
  if (another === undefined) return found;
  throw new KairosError('RUN_NOT_FOUND', `the ids of several runs begin with ${JSON.stringify(reference)}`, {
    hint: `Write more of the id, for example ${found.runId.slice(0, text.length + 4)} or ${another.runId.slice(0, text.length + 4)}.`,
  });
}

/** Ids of runs, beginnings of them, and `latest`; a file of such a name is written ./latest. */
export function isRunReference(record: string): boolean {
  return record === 'latest' || /^[0-9a-f]{4}[0-9a-f-]*$/i.test(record);
}

/** A run as `--json` prints it. */
export function runObject(run: RunRow) {
  return {
    run_id: run.runId,
    slug: run.slug,
    title: run.title,
    uri: stepUri(run.chainId, 1),
    digest: run.digest,
    space: run.space,
    actor: run.actor,
    session: run.session,
    begun_at: run.begunAt,
    sealed_at: run.sealedAt,
    outcome: run.outcome,
    entries: run.entryCount,
    head: run.head,
    pruned: run.tombstone !== undefined,
  };
}
