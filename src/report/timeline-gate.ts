import type { EntryKind, Json } from '../ledger/entry.ts';
import { environment, ofObject, quoted, type Teller, text } from './timeline-text.ts';

type GateKind = Extract<
  EntryKind,
  'proposal.decided' | 'approval.given' | 'permit.consumed' | 'rollback.done'
>;

/** The text of entries about proposals, approvals, permits and rollbacks. */
export const GATE_TELLERS: Record<GateKind, Teller> = {
  'proposal.decided': (data, step) => ({
    text: `${data.rollback === true ? `rollback of ${step}` : step} proposed by ${text(data.actor)}: ${text(data.decision)}`,
    details: [
      `class ${text(data.approval_class)}, ${text(data.approvals_given)} of ${text(data.approvals_needed)} approvals, proposal ${short(data.proposal_hash)}`,
      ...reasons(data.reasons),
    ],
    bad: data.decision === 'DENY' || data.decision === 'HALT',
  }),
  'approval.given': (data, step) => ({
    text: `${step} ${data.decision === 'deny' ? 'denied' : 'approved'} by ${text(data.approver)} (${data.source === 'ssh' ? 'signed' : 'at a terminal'})`,
    details: [`proposal ${short(data.proposal_hash)}`],
    bad: data.decision === 'deny',
  }),
  'permit.consumed': (data, step) => ({
    text: `${data.rollback === true ? `rollback of ${step} begun, its` : step} permit used by ${text(data.actor)}`,
    details: [
      `permit ${short(data.permit_id)}${environment(data.env)}`,
      ...(typeof data.chain_run_id === 'string' ? [`run as ${data.chain_run_id}`] : []),
    ],
  }),
  'rollback.done': (data, step) => ({
    text: `${step} ${data.succeeded === true ? '' : 'not '}rolled back by ${text(data.strategy)} [${text(data.assurance)}]${data.late === true ? ', after its deadline' : ''}`,
    details: [
      ...ofObject(data.observed, ({ exit_code, timed_out, account, chain_run_id, outcome }) => [
        ...quoted('account', account),
        ...(chain_run_id === undefined ? [] : [`run ${text(chain_run_id)}, outcome ${text(outcome)}`]),
        ...(exit_code === undefined
          ? []
          : [timed_out === true ? 'timed out' : `exit code ${text(exit_code)}`]),
      ]),
      ...ofObject(data.verify, ({ succeeded, exit_code }) => [
        succeeded === true ? 'verified' : `not verified: exit code ${text(exit_code)}`,
      ]),
    ],
    bad: data.succeeded !== true || data.late === true,
  }),
};

function reasons(value: Json | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((reason) =>
    ofObject(reason, ({ code, pointer, message }) => [
      [code, pointer, message]
        .filter((part) => part !== '')
        .map(text)
        .join(' '),
    ]),
  );
}

/** Enough of a hash to distinguish it. */
function short(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, 12) : text(value);
}
