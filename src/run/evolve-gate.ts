import { readStatement } from '../gate/approval/statement.ts';
import type { CommandSurroundings } from '../gate/input.ts';
import type { Permit } from '../gate/permit/permit.ts';
import type { EntryKind, LedgerEntry } from '../ledger/entry.ts';
import {
  type ApprovalGivenData,
  dataOf,
  type PermitConsumedData,
  type ProofRejectedData,
  type ProposalDecidedData,
} from './entry-data.ts';
import { type GateState, type OpenPermit, proposalKey } from './gate-state.ts';
import type { RunState } from './state.ts';

/** Folds what concerns proposals, approvals and permits; other kinds are left alone. */
export function foldGate(state: RunState, entry: LedgerEntry): void {
  FOLDS[entry.kind]?.(state, entry);
}

const FOLDS: Partial<Record<EntryKind, (state: RunState, entry: LedgerEntry) => void>> = {
  'proposal.decided': (state, entry) => decided(state, dataOf<ProposalDecidedData>(entry)),
  'approval.given': approved,
  'permit.consumed': consumed,
  'command.started': ({ gate }, { data }) => {
    if (data.rollback === true && gate.openRollback !== null && typeof data.cmd === 'string')
      gate.openRollback.cmd = data.cmd;
  },
  'rollback.done': rollbackDone,
};

/** A solution, or the report of a call, was judged under the open permit and not accepted: trying again needs a new proposal. */
export function permitSpent(
  { gate, nonces }: RunState,
  { nonce_sha256: nonce, via }: ProofRejectedData,
  at: string,
): void {
  if (gate.open === null) return;
  if (via !== undefined || nonces.get(nonce)?.permit === gate.open.permitId) giveUp(gate, gate.open, at);
}

/** Ends the permit: it can't prove a step. */
function giveUp(gate: GateState, open: OpenPermit, failedAt: string): void {
  gate.failed.set(open.step, { ...open, failedAt });
  gate.open = null;
  gate.current = null;
}

/** Every permit that was not used up yet is void, and what was proposed has to be submitted again. */
export function voidPermits({ gate }: RunState): void {
  if (gate.open !== null) giveUp(gate, gate.open, gate.open.consumedAt);
  gate.current = null;
  for (const proposal of gate.proposals.values()) if (!proposal.used) proposal.permit = null;
}

/** The station is behind the run, and with it what was proposed for it. */
export function stationPassed({ gate }: RunState, waived: boolean): void {
  if (waived && gate.open !== null) giveUp(gate, gate.open, gate.open.consumedAt);
  gate.open = null;
  gate.current = null;
}

function decided({ gate }: RunState, data: ProposalDecidedData): void {
  const { proposal_hash: hash, proposal_json: text } = data;
  if (hash === null || text === null) {
    if (!data.rollback) gate.current = null;
    return;
  }
  const key = proposalKey({ hash, step: data.step, rollback: data.rollback });
  gate.proposals.set(key, {
    proposalId: data.proposal_id,
    hash,
    text,
    station: data.station,
    step: data.step,
    actor: data.actor,
    decision: data.decision,
    approvals: { needed: data.approvals_needed, given: data.approvals_given },
    answered: { given: data.approvals_given, denial: gate.proposals.get(key)?.answered.denial ?? null },
    permit: data.permit as Permit | null,
    surroundings: (data.surroundings ?? null) as CommandSurroundings | null,
    ...(data.server_digest === undefined ? {} : { server: data.server_digest as string | null }),
    used: gate.proposals.get(key)?.used ?? false,
    rollback: data.rollback,
  });
  if (!data.rollback) gate.current = key;
}

function approved({ gate }: RunState, entry: LedgerEntry): void {
  const data = dataOf<ApprovalGivenData>(entry);
  const statement = readStatement(data.statement);
  if (statement === null) return;
  gate.approvals.push({
    statement,
    source: data.source,
    key: data.key,
    by: data.by,
    givenAt: Date.parse(entry.at),
    text: data.statement,
    signature: data.signature,
  });
  for (const proposal of gate.proposals.values()) {
    if (proposal.hash !== data.proposal_hash || proposal.step !== data.step) continue;
    if (data.decision === 'deny')
      proposal.answered.denial ??= { by: data.approver, reason: statement.reason ?? null };
    // Absent in ledgers of older versions.
    else if (typeof data.approvals_given === 'number') proposal.answered.given = data.approvals_given;
  }
}

function consumed(state: RunState, entry: LedgerEntry): void {
  const { gate } = state;
  const data = dataOf<PermitConsumedData>(entry);
  const proposal = gate.proposals.get(
    proposalKey({ hash: data.proposal_hash, step: data.step, rollback: data.rollback }),
  );
  if (proposal !== undefined) proposal.used = true;
  if (data.rollback) {
    // The effect of the step's own permit is being rolled back: it can no longer be used for a proof.
    if (gate.open?.step === data.step) giveUp(gate, gate.open, gate.open.consumedAt);
    gate.openRollback = {
      permitId: data.permit_id,
      proposalHash: data.proposal_hash,
      step: data.step,
      startedAt: entry.at,
      cmd: null,
      chainRunId: typeof data.chain_run_id === 'string' ? data.chain_run_id : null,
    };
    return;
  }
  gate.failed.delete(data.step);
  gate.rolledBack.delete(data.step);
  // A report from before was of a call under another permit.
  state.reported = null;
  gate.open = {
    permitId: data.permit_id,
    proposalHash: data.proposal_hash,
    station: data.station,
    step: data.step,
    consumedAt: entry.at,
    place: state.place,
    server: typeof data.server_digest === 'string' ? data.server_digest : null,
  };
}

function rollbackDone(state: RunState, { data }: LedgerEntry): void {
  const { gate } = state;
  gate.openRollback = null;
  if (data.succeeded !== true || typeof data.step !== 'number') return;
  gate.rolledBack.add(data.step);
  // The effect of its command is rolled back, so its outcome is no longer unknown.
  if (state.inDoubt?.step === data.step) state.inDoubt = null;
}
