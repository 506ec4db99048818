import { v5 as uuidV5 } from 'uuid';
import type { GateAnswer } from '../../gate/decide.ts';
import type { GatedStep, GateInput } from '../../gate/input.ts';
import { parameterEnvironment } from '../../gate/permit/permit.ts';
import type { Rollback } from '../../gate/proposal.ts';
import { readProposal } from '../../gate/reading.ts';
import { type RolledBackStep, rollbackProposal, rollbackStep } from '../../gate/rollback.ts';
import type { EntryData } from '../../ledger/entry.ts';
import { PROJECT_NAMESPACE, stepUri } from '../../protocol/identity.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { PermitConsumedData, RollbackDoneData } from '../entry-data.ts';
import { type DecidedProposal, type FailedPermit, proposalKey, restoredBy } from '../gate-state.ts';
import type { RunPlace } from '../ports.ts';
import type { RunState } from '../state.ts';
import { type Decision, type DecisionBuilder, type GateEnv, randomId } from './draft.ts';
import {
  askGate,
  commonInput,
  type GatedStation,
  gatedStep,
  inSurroundings,
  isDecided,
  templateOf,
  writeDecision,
} from './guard.ts';

/** What a permit allows for the rollback of a step. */
export interface RollbackOrder {
  permitId: string;
  candidate: RollbackCandidate;
  /** The permitted command, for that strategy. */
  demand: GatedStep['demand'];
  /** Parameters as variables. */
  environment: Record<string, string>;
  /** The run for the chain; null for another strategy. */
  chainRunId: string | null;
}

interface RollbackDecision extends Decision {
  /** The gate's result; null when there was nothing to judge. */
  answer: GateAnswer | null;
  /** Only with ALLOW: its permit is consumed already. */
  order: RollbackOrder | null;
  refused: RollbackRefusal | null;
}

interface RollbackCommand {
  step: number;
  /** Digest of the revision that the chain of such a rollback will run. Absent: the one that it has now. */
  chainDigest?: string | null;
  /** Where it is done; null in ledgers that don't record it. */
  place: RunPlace | null;
  /** A person wants it although a rollback of this run was begun and its end is not known. */
  again: boolean;
}

/**
 * Judges the rollback of a step like any proposal, made only from the template and the used proposal. ALLOW
 * consumes its permit in the same append, before anything is done.
 */
export function decideRollback(
  draft: DecisionBuilder,
  { step, chainDigest, place, again }: RollbackCommand,
): RollbackDecision {
  const { state, env } = draft;
  const candidate = rollbackCandidateAt(state, step);
  const none = { ...draft.done(), answer: null, order: null };
  if (typeof candidate === 'string') return { ...none, refused: candidate };
  if (state.gate.openRollback !== null && !again) return { ...none, refused: 'in-doubt' };
  if (env.gate === undefined) throw new Error('a gated run is decided without a gate');

  const { gate } = env;
  const { gated, rolledBack } = rollbackStepOf(state, candidate, gate, { chainDigest, place });
  const filling = { proposalId: randomId(env.random(16)), actor: gate.actor, now: env.now };
  const waiting = waitingRollback(state, candidate, gate.actor);
  const submitted = waiting?.text ?? rollbackProposal(gated, rolledBack, filling);
  const answer = askGate({ ...commonInput(state, env, gate), submitted, gated, evidence: [] }, gate);
  if (!isDecided(waiting, answer)) writeDecision(draft, candidate.station, submitted, answer, gate, true);
  if (answer.permit === null || answer.proposal_hash === null)
    return { ...draft.done(), answer, order: null, refused: null };

  const environment = environmentOf(submitted);
  const order: RollbackOrder = {
    permitId: answer.permit.permit_id,
    candidate,
    demand: gated.demand,
    environment,
    chainRunId:
      candidate.rollback.strategy === 'chain' ? uuidV5(answer.permit.permit_id, PROJECT_NAMESPACE) : null,
  };
  const data: PermitConsumedData = {
    step,
    station: state.stations.indexOf(candidate.station),
    uri: stepUri(state.chainId, step),
    permit_id: answer.permit.permit_id,
    proposal_hash: answer.proposal_hash,
    binding: answer.permit.binding,
    policy_digest: gate.policy?.digest ?? null,
    env: Object.keys(environment),
    actor: gate.actor,
    rollback: true,
    undoes: rolledBack.hash,
    ...(order.chainRunId === null ? {} : { chain_run_id: order.chainRunId }),
  };
  draft.write('permit.consumed', data);
  return { ...draft.done(), answer, order, refused: null };
}

/** The gate's decision on rolling back a step now, and what it would allow; nothing is recorded. */
export function previewRollback(
  state: RunState,
  candidate: RollbackCandidate,
  gate: GateEnv,
  { now, ...way }: { now: number } & Pick<RollbackCommand, 'chainDigest' | 'place'>,
): { answer: GateAnswer } & Pick<RollbackOrder, 'demand' | 'environment'> {
  const { gated, rolledBack } = rollbackStepOf(state, candidate, gate, way);
  const submitted =
    waitingRollback(state, candidate, gate.actor)?.text ??
    rollbackProposal(gated, rolledBack, { proposalId: 'preview', actor: gate.actor, now });
  return {
    answer: askGate({ ...commonInput(state, { now }, gate), submitted, gated, evidence: [] }, gate),
    demand: gated.demand,
    environment: environmentOf(submitted),
  };
}

/** The gate's current decision on a proposed rollback; null when nothing is left to roll back. */
export function judgeRollback(
  state: RunState,
  { step, text }: DecidedProposal,
  gate: GateEnv,
  now: number,
): GateAnswer | null {
  const input = rollbackInput(state, { step, text }, gate, now);
  return input === null ? null : askGate(input, gate);
}

/** What the gate is asked about a rollback that was proposed; null when there is nothing left that it would roll back. */
export function rollbackInput(
  state: RunState,
  { step, text }: Pick<DecidedProposal, 'step' | 'text'>,
  gate: GateEnv,
  now: number,
): GateInput | null {
  const candidate = rollbackCandidateAt(state, step);
  if (typeof candidate === 'string' || !isRollbackOf(text, candidate.permit.proposalHash)) return null;
  const { gated } = rollbackStepOf(state, candidate, gate, { place: candidate.permit.place });
  return { ...commonInput(state, { now }, gate), submitted: text, gated, evidence: [] };
}

function environmentOf(submitted: unknown): Record<string, string> {
  return parameterEnvironment(readProposal(submitted, null).fields.parameters ?? {});
}

function rollbackStepOf(
  state: RunState,
  { station, rollback, permit }: RollbackCandidate,
  gate: GateEnv,
  { chainDigest, place }: Pick<RollbackCommand, 'chainDigest' | 'place'>,
): { gated: GatedStep; rolledBack: RolledBackStep } {
  const used = state.gate.proposals.get(
    proposalKey({ hash: permit.proposalHash, step: permit.step, rollback: false }),
  )!;
  const { fields } = readProposal(used.text, gate.policy);
  const known = gate.surroundings.chains.get(rollback.chain_uri ?? '');
  const chain = known === undefined ? null : { ...known, digest: chainDigest ?? known.digest };
  const rolledBack: RolledBackStep = { hash: used.hash, fields, chain };
  const gated = rollbackStep(gatedStep(state, station, gate, place), rollback, rolledBack);
  return { gated: inSurroundings(gated, gate), rolledBack };
}

/** A rollback of the same effect that was proposed by the same person and waits for others. */
function waitingRollback(
  { gate }: RunState,
  { permit }: RollbackCandidate,
  actor: string,
): DecidedProposal | undefined {
  return [...gate.proposals.values()].findLast(
    ({ rollback, used, decision, actor: by, text }) =>
      rollback && !used && decision === 'HOLD' && by === actor && isRollbackOf(text, permit.proposalHash),
  );
}

function isRollbackOf(text: string, hash: string): boolean {
  return readProposal(text, null).fields.evidence_bindings?.[0]?.ref === hash;
}

/**
 * A step that can be rolled back: its permit was consumed, nothing was proven under it, and its template
 * defines how.
 */
export interface RollbackCandidate {
  station: GatedStation;
  rollback: Rollback;
  /** The used permit of a step that failed or has an unknown outcome. */
  permit: FailedPermit;
  /** The outcome of that permit is unknown. */
  inDoubt: boolean;
}

/** Why a step can't be rolled back. */
export type RollbackRefusal =
  | 'sealed'
  | 'not-gated'
  | 'no-rollback'
  | 'not-permitted'
  | 'proven'
  | 'rolled-back'
  | 'in-doubt';

/** What the rollback of a step of an open run needs, or why it isn't possible. */
export function rollbackCandidateAt(state: RunState, step: number): RollbackCandidate | RollbackRefusal {
  return state.sealed === null ? candidateAt(state, step) : 'sealed';
}

/** The steps that may have done something, with a rollback in their template, and not rolled back yet. */
export function stepsNotRolledBack(state: RunState): number[] {
  const gated = state.stations.filter((station) => templateOf(station) !== undefined);
  return gated.map(({ step }) => step).filter((step) => typeof candidateAt(state, step) !== 'string');
}

function candidateAt(state: RunState, step: number): RollbackCandidate | RollbackRefusal {
  const station = state.stations.find((other) => other.step === step && templateOf(other) !== undefined);
  if (station === undefined) return 'not-gated';
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
  const { openRollback, failed } = state.gate;
  if (state.sealed !== null || openRollback === null || openRollback.permitId !== permitId)
    return { ...draft.done(), recorded: null };
  const { step, proposalHash } = openRollback;
  const station = state.stations.find((other) => other.step === step && templateOf(other) !== undefined);
  const rollback = templateOf(station ?? null)!.rollback_semantics!;
  const { strategy, deadline_ms: deadline = null } = rollback;
  const { proposalHash: undoes, failedAt } = failed.get(step)!;
  const after = Math.max(0, env.now - Date.parse(failedAt));
  const data: RollbackDoneData = {
    step,
    permit_id: permitId,
    proposal_hash: proposalHash,
    undoes,
    restored: restoredBy(state.gate, undoes, step, rollback.command ?? rollback.chain_uri ?? 'hand'),
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
