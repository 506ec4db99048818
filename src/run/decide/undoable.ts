import type { Rollback } from '../../gate/proposal.ts';
import type { FailedPermit } from '../gate-state.ts';
import type { RunState } from '../state.ts';
import { type GuardedStation, templateOf } from './guard.ts';

/**
 * A step that can be rolled back: its permit was consumed, nothing was proven under it, and its template
 * defines how.
 */
export interface Undoable {
  station: GuardedStation;
  rollback: Rollback;
  /** The permit that was consumed for nothing, or of which nothing is known. */
  permit: FailedPermit;
  /** The outcome of that permit is unknown. */
  inDoubt: boolean;
}

/** Why a step can't be rolled back. */
export type NotUndoable =
  | 'sealed'
  | 'not-guarded'
  | 'no-rollback'
  | 'not-permitted'
  | 'proven'
  | 'rolled-back'
  | 'in-doubt';

/** What the rollback of a step of an open run needs, or why it isn't possible. */
export function undoableAt(state: RunState, step: number): Undoable | NotUndoable {
  return state.sealed === null ? notUndoneAt(state, step) : 'sealed';
}

/** The steps that may have done something, with a rollback in their template, and not rolled back yet. */
export function stepsNotUndone(state: RunState): number[] {
  const guarded = state.stations.filter((station) => templateOf(station) !== undefined);
  return guarded.map(({ step }) => step).filter((step) => typeof notUndoneAt(state, step) !== 'string');
}

function notUndoneAt(state: RunState, step: number): Undoable | NotUndoable {
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
  return { station: station as GuardedStation, rollback, permit, inDoubt: doubted !== null };
}
