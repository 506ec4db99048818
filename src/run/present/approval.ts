import { isObject } from '../../base/json.ts';
import { proposalFacts } from '../../gate/approval/count.ts';
import { readCase } from '../../gate/decide.ts';
import { gateInputFor } from '../decide/answer.ts';
import type { GateEnv } from '../decide/draft.ts';
import { askGate } from '../decide/guard.ts';
import type { DecidedProposal } from '../gate-state.ts';
import type { RunState } from '../state.ts';
import type { ApprovalScreen, ValueChange } from './approval-screen.ts';

/** What an approver of this proposal has to see, as things are now; null when there is nothing left that it would do. */
export function approvalScreen(
  state: RunState,
  proposal: DecidedProposal,
  gate: GateEnv,
  now: number,
): ApprovalScreen | null {
  const input = gateInputFor(state, proposal, gate, now);
  if (input === null) return null;
  const item = readCase(input);
  const answer = askGate(input, gate);
  const { policy: loaded } = gate;
  return {
    ...proposalFacts(item, proposal.hash),
    run_id: state.runId,
    decision: answer.decision,
    reasons: answer.reasons,
    denied_before: deniedBefore(state, proposal),
    policy:
      loaded === null
        ? null
        : { digest: loaded.digest, origin: loaded.origin ?? null, ttl_ms: loaded.policy.approvals.ttl_ms },
    proposal_hash: proposal.hash,
    binding: answer.binding,
  };
}

/** The newest earlier proposal for the same thing that was denied, by the gate or by people. */
function deniedBefore(
  { gate }: RunState,
  { hash, step, rollback, text }: DecidedProposal,
): ApprovalScreen['denied_before'] {
  const all = [...gate.proposals.values()];
  const at = all.findIndex(
    (other) => other.hash === hash && other.step === step && other.rollback === rollback,
  );
  const answers = (about: string) =>
    gate.approvals.filter(
      ({ statement }) => statement.proposal_hash === about && statement.decision === 'deny',
    );
  const before = all
    .slice(0, at)
    .findLast(
      (other) =>
        other.step === step &&
        other.rollback === rollback &&
        (other.decision === 'DENY' || answers(other.hash).length > 0),
    );
  if (before === undefined) return null;
  const denials = answers(before.hash);
  return {
    proposal_hash: before.hash,
    by: denials.map(({ statement }) => statement.approver),
    reason: denials.find(({ statement }) => statement.reason !== undefined)?.statement.reason ?? null,
    changes: changesBetween(JSON.parse(before.text), JSON.parse(text)),
  };
}

/** Where two proposals differ, by JSON Pointer. What every new proposal changes is left out. */
function changesBetween(before: unknown, now: unknown): ValueChange[] {
  return differences(before, now, '').filter(({ pointer }) => !IGNORED.has(pointer));
}

const IGNORED = new Set([
  '/proposal_id',
  '/ts_ms',
  '/time_window/valid_from_ms',
  '/time_window/valid_until_ms',
]);

function differences(before: unknown, now: unknown, pointer: string): ValueChange[] {
  if (isObject(before) && isObject(now)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
    return keys.flatMap((key) =>
      differences(before[key], now[key], `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  }
  return JSON.stringify(before) === JSON.stringify(now) ? [] : [{ pointer, before, now }];
}
