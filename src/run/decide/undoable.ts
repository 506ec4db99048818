import type { Rollback } from '../../gate/proposal.ts';
import type { EntryData } from '../../ledger/entry.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { RollbackDoneData } from '../entry-data.ts';
import type { FailedPermit } from '../gate-state.ts';
import type { RunState } from '../state.ts';
import type { Decision, DecisionBuilder } from './draft.ts';
import { type GatedStation, templateOf } from './guard.ts';

/**
 * A step that can be rolled back: its permit was consumed, nothing was proven under it, and its template
 * defines how.
 */
export interface RollbackCandidate {
  station: GatedStation;
  rollback: Rollback;
  /** The permit that was consumed for nothing, or of which nothing is known. */
  permit: FailedPermit;
  /** The outcome of that permit is unknown. */
  inDoubt: boolean;
}

/** Why a step can't be rolled back. */
export type RollbackRefusal =
  | 'sealed'
  | 'not-guarded'
  | 'no-rollback'
  | 'not-permitted'
  | 'proven'
  | 'rolled-back'
  | 'in-doubt';

/** What the rollback of a step of an open run needs, or why it isn't possible. */
export function rollbackCandidateAt(state: RunState, step: number): RollbackCandidate | RollbackRefusal {
  return state.sealed === null ? notUndoneAt(state, step) : 'sealed';
}

/** The steps that may have done something, with a rollback in their template, and not rolled back yet. */
export function stepsNotRolledBack(state: RunState): number[] {
  const guarded = state.stations.filter((station) => templateOf(station) !== undefined);
  return guarded.map(({ step }) => step).filter((step) => typeof notUndoneAt(state, step) !== 'string');
}

function notUndoneAt(state: RunState, step: number): RollbackCandidate | RollbackRefusal {
  const station = state.stations.find((other) => other.step === step && templateOf(other) !== undefined);
  if (station === undefined) return 'not-guarded';
  const rollback = templateOf(station)?.rollback_semantics;
  if (rollback === undefined || rollback.strategy === 'none') return 'no-rollback';
  const { open, failed, rolledBack } = state.gate;
  if (rolledBack.has(step)) return 'rolled-back';
  const doubted = open?.step === step ? { ...open, failedAt: open.consumedAt } : null;
  const permit = doubted ?? failed.get(step);
  if (permit === undefined) {
    const proven = state.proofs.some((proof) => state.stations[proof.station] === station);
    return proven ? 'proven' : 'not-permitted';
  }
  return { station: station as GatedStation, rollback, permit, inDoubt: doubted !== null };
}

/** The end of a rollback as observed. */
export interface RollbackReport {
  permitId: string;
  succeeded: boolean;
  assurance: Assurance;
  observed: EntryData;
  verify: RollbackDoneData['verify'];
}

/** Records the end of a rollback. False when the run was sealed, or the rollback begun again, meanwhile. */
export function decideRollbackDone(
  draft: DecisionBuilder,
  { permitId, succeeded, assurance, observed, verify }: RollbackReport,
): Decision & { recorded: RollbackDoneData | null } {
  const { state, env } = draft;
  const { undoing, failed } = state.gate;
  if (state.sealed !== null || undoing === null || undoing.permitId !== permitId)
    return { ...draft.done(), recorded: null };
  const { step, proposalHash } = undoing;
  const station = state.stations.find((other) => other.step === step && templateOf(other) !== undefined);
  const { strategy, deadline_ms: deadline = null } = templateOf(station ?? null)!.rollback_semantics!;
  const { proposalHash: undoes, failedAt } = failed.get(step)!;
  const after = Math.max(0, env.now - Date.parse(failedAt));
  const data: RollbackDoneData = {
    step,
    permit_id: permitId,
    proposal_hash: proposalHash,
    undoes,
    strategy,
    succeeded,
    assurance,
    observed,
    verify,
    deadline_ms: deadline,
    after_ms: after,
    late: deadline === null ? null : after > deadline,
    by: env.gate?.actor ?? state.actor,
  };
  draft.write('rollback.done', data);
  return { ...draft.done(), recorded: data };
}
