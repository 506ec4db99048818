import type { Approval } from '../gate/approval/statement.ts';
import type { GateDecision } from '../gate/decide.ts';
import type { CommandSurroundings } from '../gate/input.ts';
import type { Permit } from '../gate/permit/permit.ts';
import type { Json } from '../ledger/entry.ts';
import type { RunPlace } from './ports.ts';

/** A proposal as this run has judged it last. */
export interface DecidedProposal {
  proposalId: string | null;
  hash: string;
  /** RFC 8785 text. */
  text: string;
  station: number;
  step: number;
  actor: string;
  decision: GateDecision;
  approvals: { needed: number; given: number };
  /** What people have answered since the decision: the approvals that count with the last answer, and the denial. */
  answered: { given: number; denial: Denial | null };
  permit: Permit | null;
  /** What the command of the step got and started when this was decided; null: it needs none, or they are not known. */
  surroundings: CommandSurroundings | null;
  /** Digest of the definition of its MCP server when this was decided; null: it was missing. Absent: it names no server, or it is not known. */
  server?: string | null;
  /** Its permit was consumed. */
  used: boolean;
  /** It is about the rollback of the step. */
  rollback: boolean;
}

interface Denial {
  by: string;
  reason: string | null;
}

/** The newest proposal of a step, if a person denied it: the next proposer has to know. */
export function lastDenial({ proposals }: GateState, step: number): (Denial & { hash: string }) | null {
  const last = [...proposals.values()].findLast((one) => one.step === step && !one.rollback);
  return last?.answered.denial == null ? null : { ...last.answered.denial, hash: last.hash };
}

/** An answer of an approver with what proves it. */
export interface RecordedApproval extends Approval {
  /** The statement exactly as signed. */
  text: string;
  /** Armoured SSH signature; null for a terminal. */
  signature: string | null;
}

/** A consumed permit: its outcome is unknown until a solution is judged. */
export interface OpenPermit {
  permitId: string;
  proposalHash: string;
  station: number;
  step: number;
  consumedAt: string;
  /** Where the step was allowed to run; null in ledgers that don't record it. */
  place: RunPlace | null;
  /** Digest of the definition of the MCP server that may be called, empty for a missing one; null for another step. */
  server: string | null;
}

/** What a run knows of proposals, approvals and permits. */
export interface GateState {
  /** By `proposalKey`, in the order in which they were submitted first. */
  proposals: Map<string, DecidedProposal>;
  /** Key of the newest one for the pending station; null when it has none that could still be used. */
  current: string | null;
  approvals: RecordedApproval[];
  open: OpenPermit | null;
  /** Steps whose permit was consumed and whose proof was then not accepted. */
  failed: Map<number, FailedPermit>;
  /** Steps that were rolled back since their permit was consumed. */
  rolledBack: Set<number>;
  /** A rollback that was begun and of whose end nothing is known. */
  openRollback: RollbackInProgress | null;
}

/** A permit that was consumed for nothing. */
export interface FailedPermit extends OpenPermit {
  /** RFC 3339 UTC; for an unknown outcome, the instant of consumption. */
  failedAt: string;
}

/** A rollback under its permit. */
export interface RollbackInProgress {
  permitId: string;
  proposalHash: string;
  step: number;
  startedAt: string;
  /** The command that was started, if one was. */
  cmd: string | null;
  /** The run of the chain, for a rollback of that strategy. */
  chainRunId: string | null;
}

/**
 * What distinguishes proposals: the same content for another step, or for a rollback, is another proposal.
 */
export function proposalKey({
  hash,
  step,
  rollback,
}: Pick<DecidedProposal, 'hash' | 'step' | 'rollback'>): string {
  return `${hash} ${step} ${rollback ? 'rollback' : 'do'}`;
}

/**
 * The proposal whose hash has this beginning; null for none or several. Of equal contents the first counts:
 * copies are denied.
 */
export function proposalBy({ proposals }: GateState, start: string): DecidedProposal | null {
  const found = [...proposals.values()].filter(({ hash }) => hash.startsWith(start));
  const [first] = found;
  return first !== undefined && found.every(({ hash }) => hash === first.hash) ? first : null;
}

/** What a rollback restores: the target of the used proposal with this hash. `by`: what does it. */
export function restoredBy({ proposals }: GateState, hash: string, step: number, by: string): Restored {
  const used = proposals.get(proposalKey({ hash, step, rollback: false }));
  const { target = null } =
    used === undefined ? {} : (JSON.parse(used.text) as { target?: Restored['target'] });
  return { target, by };
}
type Restored = { target: { [key: string]: Json } | null; by: string };

export function emptyGate(): GateState {
  return {
    proposals: new Map(),
    current: null,
    approvals: [],
    open: null,
    failed: new Map(),
    rolledBack: new Set(),
    openRollback: null,
  };
}
