import { programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import type { GateAnswer } from '../gate/decide.ts';
import { verificationOf } from '../gate/rollback.ts';
import type { EntryData } from '../ledger/entry.ts';
import { weakestOf } from '../proof/demand.ts';
import type { Assurance } from '../protocol/schema.ts';
import { writeMove } from '../run/decide/attest.ts';
import {
  decideRollback,
  decideRollbackDone,
  previewRollback,
  type RollbackCandidate,
  type RollbackOrder,
  type RollbackRefusal,
  type RollbackReport,
  rollbackCandidateAt,
} from '../run/decide/rollback.ts';
import type { RollbackDoneData } from '../run/entry-data.ts';
import { isSamePlace, type RunPlace } from '../run/ports.ts';
import { countAssurance, type RunState } from '../run/state.ts';
import type { Revision } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { gateEnvOf, namedRevision } from './run/gate-env.ts';
import { loadRun, requireRun, transact } from './run/transact.ts';

/** What the rollback of a step requires, before anything is decided. */
export interface RollbackPlan {
  revision: Revision;
  state: RunState;
  candidate: RollbackCandidate;
  /** The revision that a rollback by a chain runs now. */
  chain: Revision | null;
  /** What the gate would decide now. */
  answer: GateAnswer;
  demand: RollbackOrder['demand'];
  /** The command that checks whether the rollback worked; null when the template has none. */
  verification: ReturnType<typeof verificationOf>;
  /** Parameters of the used proposal, as the rollback's command gets them. */
  environment: Record<string, string>;
  /** Where it is done: where the step was, unless the caller names another place; null in ledgers without a place. */
  place: RunPlace | null;
  /** Set where the caller has named another place than the recorded one: the run moves there. */
  moveTo: RunPlace | null;
  /** Of the secrets that were given again, to be recorded with the move. */
  digests?: EntryData;
}

/** Plans the rollback of a step, where it was done or `elsewhere`. Records nothing. Throws INVALID_INPUT with the reason when it can't be rolled back. */
export async function planRollback(
  ctx: OperationContext,
  runId: string,
  step: number,
  elsewhere: RunPlace | null = null,
): Promise<RollbackPlan> {
  const run = await requireRun(ctx, runId);
  const { state, revision } = run;
  const candidate = rollbackCandidateAt(state, step);
  if (typeof candidate === 'string') throw rollbackRefused(ctx, candidate, runId, step);
  const chain = await chainOf(ctx, candidate);
  const now = ctx.clock();
  const place = elsewhere ?? candidate.permit.place ?? state.place;
  const preview = previewRollback(state, candidate, await gateEnvOf(ctx, state), {
    now,
    chainDigest: chain?.digest ?? null,
    place,
  });
  return {
    revision,
    state,
    candidate,
    chain,
    place,
    moveTo: elsewhere,
    ...preview,
    verification: verificationOf(candidate.rollback, candidate.station.demand),
    environment: { ...state.values, ...ctx.runSecrets?.of(runId), ...preview.environment },
  };
}

/** Whether a step can be rolled back now. */
export function canRollBack(state: RunState, step: number): boolean {
  return typeof rollbackCandidateAt(state, step) !== 'string';
}

/** The plan for a step that can be rolled back here and by a command or a person, or null. */
export async function planRollbackHere(
  ctx: OperationContext,
  runId: string,
  step: number,
): Promise<RollbackPlan | null> {
  const { state } = (await loadRun(ctx, runId))!;
  const candidate = rollbackCandidateAt(state, step);
  if (typeof candidate === 'string' || candidate.rollback.strategy === 'chain') return null;
  const plan = await planRollback(ctx, runId, step);
  // What was done on another machine is rolled back there.
  return plan.place !== null && plan.place.host !== ctx.place?.host ? null : plan;
}

/** The assurance of a run that rolled back a step of another: its weakest one. */
export function assuranceOfChain(state: RunState): Assurance {
  return weakestOf(countAssurance(state));
}

/** Asks the gate, and consumes the permit that it gives. `order` is null unless it allows. */
export async function beginRollback(
  ctx: OperationContext,
  { state: { runId }, candidate, chain, place, moveTo, digests }: RollbackPlan,
  again: boolean,
): Promise<{ answer: GateAnswer; order: RollbackOrder | null }> {
  const { step } = candidate.station;
  const { answer, order, refused } = await transact(ctx, runId, (draft) => {
    if (moveTo !== null && draft.state.sealed === null && !isSamePlace(draft.state.place, moveTo))
      writeMove(draft, moveTo, ctx.caller.actor, digests);
    return decideRollback(draft, { step, chainDigest: chain?.digest ?? null, place, again });
  });
  if (answer === null) throw rollbackRefused(ctx, refused ?? 'not-permitted', runId, step);
  return { answer, order };
}

/** Records how a rollback ended. Throws INVALID_INPUT when the run was sealed, or the rollback begun again, meanwhile. */
export async function endRollback(
  ctx: OperationContext,
  runId: string,
  report: RollbackReport,
): Promise<RollbackDoneData> {
  const { recorded } = await transact(ctx, runId, (draft) => decideRollbackDone(draft, report));
  if (recorded === null)
    throw new KairosError('INVALID_INPUT', `how the rollback of run ${runId} ended cannot be recorded`, {
      hint: 'The run was sealed, or the rollback was begun again, while this one ran.',
    });
  return recorded;
}

async function chainOf(ctx: OperationContext, { rollback }: RollbackCandidate): Promise<Revision | null> {
  if (rollback.strategy !== 'chain') return null;
  const revision = await namedRevision(ctx, rollback.chain_uri ?? '');
  if (revision !== null) return revision;
  throw new KairosError('NOT_FOUND', 'the chain that the rollback names is not in this store', {
    hint: 'Mint it here, and use the URI of its first step.',
  });
}

const REASONS: Record<RollbackRefusal, readonly [reason: string, hint: string | ((show: string) => string)]> =
  {
    sealed: [
      'its run is sealed, and nothing is added to a sealed record',
      'Roll it back by hand, or run a protocol for that: what is done after a seal belongs to another run.',
    ],
    'not-gated': ['no proposal guards it', 'Only a step with a proposal can describe its rollback.'],
    'no-rollback': ['its template names no rollback', 'Roll it back by hand.'],
    'not-permitted': ['it was never permitted, so nothing of it was done', 'There is nothing to roll back.'],
    proven: [
      'it is proven',
      'Only a step that failed, or whose outcome is unknown, can be rolled back. To revert what was proven, run a protocol for that.',
    ],
    'rolled-back': ['it has been rolled back already', (show) => `See it with: ${show}`],
    'in-doubt': [
      'a rollback of this run was begun and its end is not known',
      () => `Check its result first; at a terminal ${programName()} rollback asks whether to begin it again.`,
    ],
  };

function rollbackRefused(
  { commandLine }: OperationContext,
  reason: RollbackRefusal,
  runId: string,
  step: number,
): KairosError {
  const [why, hint] = REASONS[reason];
  return new KairosError('INVALID_INPUT', `step ${step} of run ${runId} is not rolled back: ${why}`, {
    hint: typeof hint === 'string' ? hint : hint(commandLine(['runs', 'show', runId])),
  });
}
