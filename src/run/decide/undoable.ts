import type { Rollback } from '../../gate/proposal.ts';
import type { FailedPermit } from '../gate-state.ts';
import type { RunState } from '../state.ts';
import { type GuardedStation, templateOf } from './guard.ts';

/** A step that can be undone: its permit was consumed, nothing was proven under it, and its template says how. */
export interface Undoable {
  station: GuardedStation;
  rollback: Rollback;
  /** The permit that was consumed for nothing, or of which nothing is known. */
  permit: FailedPermit;
  /** Nobody knows what came of that permit. */
  inDoubt: boolean;
}

/** Why a step cannot be undone. */
export type NotUndoable =
  | 'sealed'
  | 'not-guarded'
  | 'no-rollback'
  | 'not-permitted'
  | 'proven'
  | 'rolled-back'
  | 'in-doubt';

/** What undoing a step of an open run would take, or why it cannot be done. */
export function undoableAt(state: RunState, step: number): Undoable | NotUndoable {
  return state.sealed === null ? notUndoneAt(state, step) : 'sealed';
}

/** The steps that may have done something which their template says how to undo, and which nobody has undone. */
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
