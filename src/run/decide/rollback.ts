import { v5 as uuidV5 } from 'uuid';
import { decideProposal, type GateAnswer } from '../../gate/decide.ts';
import type { GuardedStep } from '../../gate/input.ts';
import { parameterEnvironment } from '../../gate/permit/parameters.ts';
import type { Rollback } from '../../gate/proposal.ts';
import { readProposal } from '../../gate/reading.ts';
import { type Undone, undoingProposal, undoingStep } from '../../gate/rollback.ts';
import type { EntryData } from '../../ledger/entry.ts';
import { PROJECT_NAMESPACE, stepUri } from '../../protocol/identity.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { PermitConsumedData, RollbackDoneData } from '../entry-data.ts';
import { type DecidedProposal, type FailedPermit, proposalKey } from '../gate-state.ts';
import type { RunState } from '../state.ts';
import { type Decision, type Draft, type GateEnv, randomId } from './draft.ts';
import { commonInput, type GuardedStation, guardedStep, templateOf, writeDecision } from './guard.ts';

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

/** What a permit lets be done to undo a step. */
export interface UndoingOrder {
  permitId: string;
  undoable: Undoable;
  /** The command as it is permitted, where the strategy is one. */
  demand: GuardedStep['demand'];
  /** Parameters as variables. */
  environment: Record<string, string>;
  /** The run that is to walk the chain; null where the strategy is another. */
  chainRunId: string | null;
}

export interface RollbackDecision extends Decision {
  /** What the gate said; null when there was nothing to judge. */
  answer: GateAnswer | null;
  /** Only with ALLOW: its permit is consumed already. */
  order: UndoingOrder | null;
  refused: NotUndoable | null;
}

export interface RollbackCommand {
  step: number;
  /** Digest of the revision that the chain of such a rollback has now. */
  chainDigest: string | null;
  /** A person wants it although a rollback of this run was begun and its end is not known. */
  again: boolean;
}

/**
 * Has undoing a step judged like any proposal: it is made out of the template and the used proposal by this alone. ALLOW
 * consumes its permit in the same append, before anything is done.
 */
export function decideRollback(
  draft: Draft,
  { step, chainDigest, again }: RollbackCommand,
): RollbackDecision {
  const { state, env } = draft;
  const undoable = undoableAt(state, step);
  const refuse = (refused: NotUndoable): RollbackDecision => ({
    ...draft.done(),
    answer: null,
    order: null,
    refused,
  });
  if (typeof undoable === 'string') return refuse(undoable);
  if (state.gate.undoing !== null && !again) return refuse('in-doubt');
  if (env.gate === undefined) throw new Error('a guarded run is decided without a gate');

  const { gate } = env;
  const { guarded, undone } = undoingOf(state, undoable, gate, chainDigest);
  const filling = { proposalId: randomId(env.random(16)), actor: gate.actor, now: env.now };
  const standing = standingRollback(state, undoable, gate.actor);
  const submitted = standing?.text ?? undoingProposal(guarded, undone, filling);
  const answer = decideProposal({ ...commonInput(state, env, gate), submitted, guarded, evidence: [] });
  const known = standing?.decision === answer.decision && standing.approvals.given === answer.approvals.given;
  if (!known) writeDecision(draft, undoable.station, submitted, answer, gate, true);
  if (answer.permit === null || answer.proposal_hash === null)
    return { ...draft.done(), answer, order: null, refused: null };

  const environment = environmentOf(submitted);
  const order: UndoingOrder = {
    permitId: answer.permit.permit_id,
    undoable,
    demand: guarded.demand,
    environment,
    chainRunId:
      undoable.rollback.strategy === 'chain' ? uuidV5(answer.permit.permit_id, PROJECT_NAMESPACE) : null,
  };
  const data: PermitConsumedData = {
    step,
    station: state.stations.indexOf(undoable.station),
    uri: stepUri(state.chainId, step),
    permit_id: answer.permit.permit_id,
    proposal_hash: answer.proposal_hash,
    binding: answer.permit.binding,
    policy_digest: gate.policy?.digest ?? null,
    env: Object.keys(environment),
    actor: gate.actor,
    rollback: true,
    undoes: undone.hash,
    ...(order.chainRunId === null ? {} : { chain_run_id: order.chainRunId }),
  };
  draft.write('permit.consumed', data);
  return { ...draft.done(), answer, order, refused: null };
}

/** What the gate would say to undoing a step now, and what it would let be done; nothing is recorded. */
export function previewRollback(
  state: RunState,
  undoable: Undoable,
  gate: GateEnv,
  { now, chainDigest }: { now: number; chainDigest: string | null },
): { answer: GateAnswer } & Pick<UndoingOrder, 'demand' | 'environment'> {
  const { guarded, undone } = undoingOf(state, undoable, gate, chainDigest);
  const submitted =
    standingRollback(state, undoable, gate.actor)?.text ??
    undoingProposal(guarded, undone, { proposalId: 'preview', actor: gate.actor, now });
  return {
    answer: decideProposal({ ...commonInput(state, { now }, gate), submitted, guarded, evidence: [] }),
    demand: guarded.demand,
    environment: environmentOf(submitted),
  };
}

/** What the gate would say now to a rollback that was proposed; null when there is nothing left that it would undo. */
export function judgeRollback(
  state: RunState,
  { step, text }: DecidedProposal,
  gate: GateEnv,
  now: number,
): GateAnswer | null {
  const undoable = undoableAt(state, step);
  if (typeof undoable === 'string' || !undoesProposal(text, undoable.permit.proposalHash)) return null;
  const { guarded } = undoingOf(state, undoable, gate, null);
  return decideProposal({ ...commonInput(state, { now }, gate), submitted: text, guarded, evidence: [] });
}

/** How a rollback ended, as whoever did it saw it. */
export interface RollbackReport {
  permitId: string;
  succeeded: boolean;
  assurance: Assurance;
  observed: EntryData;
  verify: RollbackDoneData['verify'];
}

/** Puts the end of a rollback on record. False when the run has been sealed, or begun it anew, meanwhile. */
export function decideRollbackDone(
  draft: Draft,
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

function environmentOf(submitted: unknown): Record<string, string> {
  return parameterEnvironment(readProposal(submitted, null).fields.parameters ?? {});
}

function undoingOf(
  state: RunState,
  { station, rollback, permit }: Undoable,
  gate: GateEnv,
  chainDigest: string | null,
): { guarded: GuardedStep; undone: Undone } {
  const used = state.gate.proposals.get(
    proposalKey({ hash: permit.proposalHash, step: permit.step, rollback: false }),
  )!;
  const undone: Undone = {
    hash: used.hash,
    fields: readProposal(used.text, gate.policy).fields,
    chainDigest,
  };
  return { guarded: undoingStep(guardedStep(state, station), rollback, undone), undone };
}

/** A rollback of the same effect that was proposed by the same person and waits for others. */
function standingRollback(
  { gate }: RunState,
  { permit }: Undoable,
  actor: string,
): DecidedProposal | undefined {
  return [...gate.proposals.values()].findLast(
    ({ rollback, used, decision, actor: by, text }) =>
      rollback && !used && decision === 'HOLD' && by === actor && undoesProposal(text, permit.proposalHash),
  );
}

function undoesProposal(text: string, hash: string): boolean {
  return readProposal(text, null).fields.evidence_bindings?.[0]?.ref === hash;
}
