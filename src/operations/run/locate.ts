import { sha256Hex } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import { readSolution } from '../../proof/solution.ts';
import { parseMemUri, stepUri } from '../../protocol/identity.ts';
import type { HandoverNote } from '../../run/ports.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { MESSAGES, NEXT } from '../../run/wording.ts';
import type { RunRow } from '../../store/port.ts';
import type { OperationContext } from '../context.ts';
import { loadRun } from './transact.ts';

interface StepReference {
  chainId: string;
  /** 1-based. */
  index: number;
}

/** What a URI names. An unknown one is an error: it must never look like an end. */
export async function resolveUri(ctx: OperationContext, uri: string): Promise<StepReference> {
  const uuid = parseMemUri(uri);
  if (uuid === null) {
    throw new KairosError('INVALID_INPUT', `${JSON.stringify(uri)} is not a step's URI`, {
      hint: 'A URI looks like kairos://mem/<uuid>; kairos_search and kairos_begin give them out.',
    });
  }
  const step = await ctx.store.resolveStep(uuid);
  if (step === null) {
    throw new KairosError('NOT_FOUND', `no step has the URI ${uri}`, {
      hint: 'Look for the protocol with kairos_search (kairos search on the command line).',
    });
  }
  return step;
}

interface RunReference {
  uri: string;
  runId: string | undefined;
  solution: unknown;
}

/** SPEC 3.3: the run named, else the one that issued the nonce, else this session's latest on the chain. */
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
  return {
    answer:
      open.length === 0
        ? notFound(first)
        : ambiguous(
            tool,
            uri,
            open.map((run) => run.runId),
          ),
  };
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

/**
 * The run that the note hands over, to be resumed; null when there is no note (about this chain). Throws HANDOVER_REFUSED for a note that
 * is not about an open run of the caller's here, as it stands: with the reason and what to do.
 */
export async function handedOver(ctx: OperationContext, chainId?: string): Promise<string | null> {
  const note = (await ctx.handover?.read()) ?? null;
  if (note === null || (chainId !== undefined && note.chainUri !== stepUri(chainId, 1))) return null;
  const { runId, state } = note;
  if (state.actor !== ctx.caller.actor) throw refused(note, 'it is about a run of somebody else');
  const run = state.space === ctx.caller.space ? await loadRun(ctx, runId) : null;
  if (run === null)
    throw refused(
      note,
      `run ${runId} is not in this store and space`,
      'Name the store with --store or KAIROS_STORE and the space with --space, or remove the file.',
    );
  if (run.state.sealed !== null)
    throw refused(note, `run ${runId} is sealed`, 'Remove the file, and begin a new run.');
  if (run.state.at !== state.passed || run.state.echo !== state.echo || run.state.digest !== state.digest)
    throw refused(
      note,
      `run ${runId} has moved on since`,
      `See where it stands and go on with: ${ctx.commandLine(['resume', runId])} (kairos_next with its run_id); then remove the file.`,
    );
  return runId;
}

function refused(
  note: HandoverNote,
  reason: string,
  hint = 'Remove the file, or name your run.',
): KairosError {
  return new KairosError('HANDOVER_REFUSED', `the handover of ${note.updatedAt} is not taken up: ${reason}`, {
    hint,
  });
}
