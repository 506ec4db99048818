import { v5 as uuidV5 } from 'uuid';
import type { GateAnswer } from '../../gate/decide.ts';
import type { GatedStep, GateInput } from '../../gate/input.ts';
import { parameterEnvironment } from '../../gate/permit/permit.ts';
import { readProposal } from '../../gate/reading.ts';
import { type RolledBackStep, rollbackProposal, rollbackStep } from '../../gate/rollback.ts';
import { PROJECT_NAMESPACE, stepUri } from '../../protocol/identity.ts';
import type { PermitConsumedData } from '../entry-data.ts';
import { type DecidedProposal, proposalKey } from '../gate-state.ts';
import type { RunPlace } from '../ports.ts';
import type { RunState } from '../state.ts';
import { type Decision, type DecisionBuilder, type GateEnv, randomId } from './draft.ts';
import { askGate, commonInput, gatedStep, writeDecision } from './guard.ts';
import { type RollbackCandidate, type RollbackRefusal, rollbackCandidateAt } from './undoable.ts';

/** What a permit allows for the rollback of a step. */
export interface RollbackOrder {
  permitId: string;
  undoable: RollbackCandidate;
  /** The permitted command, for that strategy. */
  demand: GatedStep['demand'];
  /** Parameters as variables. */
  environment: Record<string, string>;
  /** The run for the chain; null for another strategy. */
  chainRunId: string | null;
}

export interface RollbackDecision extends Decision {
  /** The gate's result; null when there was nothing to judge. */
  answer: GateAnswer | null;
  /** Only with ALLOW: its permit is consumed already. */
  order: RollbackOrder | null;
  refused: RollbackRefusal | null;
}

export interface RollbackCommand {
  step: number;
  /** Digest of the revision that the chain of such a rollback has now. */
  chainDigest: string | null;
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
  const undoable = rollbackCandidateAt(state, step);
  const refuse = (refused: RollbackRefusal): RollbackDecision => ({
    ...draft.done(),
    answer: null,
    order: null,
    refused,
  });
  if (typeof undoable === 'string') return refuse(undoable);
  if (state.gate.undoing !== null && !again) return refuse('in-doubt');
  if (env.gate === undefined) throw new Error('a guarded run is decided without a gate');

  const { gate } = env;
  const { guarded, undone } = undoingOf(state, undoable, gate, { chainDigest, place });
  const filling = { proposalId: randomId(env.random(16)), actor: gate.actor, now: env.now };
  const standing = standingRollback(state, undoable, gate.actor);
  const submitted = standing?.text ?? rollbackProposal(guarded, undone, filling);
  const answer = askGate({ ...commonInput(state, env, gate), submitted, guarded, evidence: [] }, gate);
  const known = standing?.decision === answer.decision && standing.approvals.given === answer.approvals.given;
  if (!known) writeDecision(draft, undoable.station, submitted, answer, gate, true);
  if (answer.permit === null || answer.proposal_hash === null)
    return { ...draft.done(), answer, order: null, refused: null };

  const environment = environmentOf(submitted);
  const order: RollbackOrder = {
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

/** The gate's decision on rolling back a step now, and what it would allow; nothing is recorded. */
export function previewRollback(
  state: RunState,
  undoable: RollbackCandidate,
  gate: GateEnv,
  { now, ...way }: { now: number } & Pick<RollbackCommand, 'chainDigest' | 'place'>,
): { answer: GateAnswer } & Pick<RollbackOrder, 'demand' | 'environment'> {
  const { guarded, undone } = undoingOf(state, undoable, gate, way);
  const submitted =
    standingRollback(state, undoable, gate.actor)?.text ??
    rollbackProposal(guarded, undone, { proposalId: 'preview', actor: gate.actor, now });
  return {
    answer: askGate({ ...commonInput(state, { now }, gate), submitted, guarded, evidence: [] }, gate),
    demand: guarded.demand,
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
  const undoable = rollbackCandidateAt(state, step);
  if (typeof undoable === 'string' || !undoesProposal(text, undoable.permit.proposalHash)) return null;
  const { guarded } = undoingOf(state, undoable, gate, { chainDigest: null, place: undoable.permit.place });
  return { ...commonInput(state, { now }, gate), submitted: text, guarded, evidence: [] };
}

function environmentOf(submitted: unknown): Record<string, string> {
  return parameterEnvironment(readProposal(submitted, null).fields.parameters ?? {});
}

function undoingOf(
  state: RunState,
  { station, rollback, permit }: RollbackCandidate,
  gate: GateEnv,
  { chainDigest, place }: Pick<RollbackCommand, 'chainDigest' | 'place'>,
): { guarded: GatedStep; undone: RolledBackStep } {
  const used = state.gate.proposals.get(
    proposalKey({ hash: permit.proposalHash, step: permit.step, rollback: false }),
  )!;
  const undone: RolledBackStep = {
    hash: used.hash,
    fields: readProposal(used.text, gate.policy).fields,
    chainDigest,
  };
  return { guarded: rollbackStep(gatedStep(state, station, place), rollback, undone), undone };
}

/** A rollback of the same effect that was proposed by the same person and waits for others. */
function standingRollback(
  { gate }: RunState,
  { permit }: RollbackCandidate,
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
