import { readStatement } from '../gate/approval/statement.ts';
import type { Permit } from '../gate/permit/permit.ts';
import type { EntryKind, LedgerEntry } from '../ledger/entry.ts';
import {
  type ApprovalGivenData,
  dataOf,
  type PermitConsumedData,
  type ProposalDecidedData,
} from './entry-data.ts';
import type { RunState } from './state.ts';

/** Folds what concerns proposals, approvals and permits; other kinds are left alone. */
export function foldGate(state: RunState, entry: LedgerEntry): void {
  FOLDS[entry.kind]?.(state, entry);
}

const FOLDS: Partial<Record<EntryKind, (state: RunState, entry: LedgerEntry) => void>> = {
  'proposal.decided': (state, entry) => decided(state, dataOf<ProposalDecidedData>(entry)),
  'approval.given': approved,
  'permit.consumed': consumed,
  'rollback.done': ({ gate }, { data }) => {
    if (data.succeeded === true && typeof data.step === 'number') gate.rolledBack.add(data.step);
  },
};

/** A solution was judged under the open permit and not accepted: what is to be tried again is proposed anew. */
export function permitSpent({ gate, nonces }: RunState, nonceSha256: string | null): void {
  const nonce = nonces.find(({ sha256 }) => sha256 === nonceSha256);
  if (gate.open === null || nonce?.permit !== gate.open.permitId) return;
  gate.failed.set(gate.open.step, gate.open);
  gate.open = null;
  gate.current = null;
}

/** The station is behind the run, and with it what was proposed for it. */
export function stationPassed({ gate }: RunState): void {
  gate.open = null;
  gate.current = null;
}

function decided({ gate }: RunState, data: ProposalDecidedData): void {
  const { proposal_hash: hash, proposal_json: text } = data;
  if (hash === null || text === null) {
    if (!data.rollback) gate.current = null;
    return;
  }
  gate.proposals.set(hash, {
    proposalId: data.proposal_id,
    hash,
    text,
    station: data.station,
    step: data.step,
    actor: data.actor,
    decision: data.decision,
    approvals: { needed: data.approvals_needed, given: data.approvals_given },
    permit: data.permit as Permit | null,
    used: gate.proposals.get(hash)?.used ?? false,
    rollback: data.rollback,
  });
  if (!data.rollback) gate.current = hash;
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
}

function consumed({ gate }: RunState, entry: LedgerEntry): void {
  const data = dataOf<PermitConsumedData>(entry);
  const proposal = gate.proposals.get(data.proposal_hash);
  if (proposal !== undefined) proposal.used = true;
  if (data.rollback) return;
  gate.open = {
    permitId: data.permit_id,
    proposalHash: data.proposal_hash,
    station: data.station,
    step: data.step,
    consumedAt: entry.at,
  };
}
