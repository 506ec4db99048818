import type { LedgerEntry } from '../ledger/entry.ts';
import { currentProposal } from './decide/guard.ts';
import {
  type ApprovalGivenData,
  dataOf,
  type ProofAcceptedData,
  type ProposalDecidedData,
} from './entry-data.ts';
import { type DecidedProposal, proposalKey } from './gate-state.ts';
import { pendingStation, type RunState } from './state.ts';

/** What people are notified of: something waits for them, was answered or decided, or a run has ended. */
export interface Notice {
  kairos: 'event';
  v: 1;
  event: 'waiting' | 'answered' | 'decided' | 'ended';
  /** RFC 3339 UTC. */
  at: string;
  /** The event in a sentence, for chat programs. */
  text: string;
  run_id: string;
  space: string;
  protocol: { slug: string; title: string; digest: string };
  /** Null at the end of a run. */
  step: { index: number; count: number; label: string } | null;
  /** Who the run belongs to. */
  actor: string;
  /** Where it works; null where it isn't recorded. */
  host: string | null;
  /** With `waiting`, and of what was answered. */
  waits_for?: 'approval' | 'answer';
  /** With `waiting`, `answered` and `decided` of a proposal. */
  proposal?: {
    hash: string;
    rollback: boolean;
    decision: string;
    approvals: { needed: number; given: number };
  };
  /** With `answered` of a proposal. */
  answer?: { decision: 'approve' | 'deny'; approver: string };
  /** With `ended`. */
  outcome?: 'success' | 'failure';
  /** The command that shows it. */
  look: string;
}

/** What an open run waits for, from people; `resume`: it is approved and was not continued yet. */
export type WaitsFor = 'approval' | 'an answer' | 'resume' | 'a new proposal';

/** In words. */
export function waitsText(waits: WaitsFor): string {
  return waits === 'resume' ? 'approved, resume it' : `waits for ${waits}`;
}

export function waitingFor(state: RunState): WaitsFor | null {
  if (state.sealed !== null) return null;
  const proposal = currentProposal(state);
  if (proposal?.decision === 'HOLD') {
    const { given, denial } = proposal.answered;
    if (denial !== null) return 'a new proposal';
    return given >= proposal.approvals.needed ? 'resume' : 'approval';
  }
  return asksPerson(state) ? 'an answer' : null;
}

function asksPerson(state: RunState): boolean {
  const pending = pendingStation(state);
  return pending?.kind === 'proof' && pending.demand.type === 'user_input';
}

/** What these new entries mean to people. `before`: the run without them; null for a new run. */
export function noticesOf(
  before: RunState | null,
  after: RunState,
  entries: readonly LedgerEntry[],
  commandLine: (words: readonly string[]) => string,
): Notice[] {
  const { runId } = after;
  const show = commandLine(['runs', 'show', runId]);
  const about = (at: string): Omit<Notice, 'event' | 'text' | 'step' | 'look'> => ({
    kairos: 'event',
    v: 1,
    at,
    run_id: runId,
    space: after.space,
    protocol: { slug: after.content.slug, title: after.content.title, digest: after.digest },
    actor: after.actor,
    host: after.place?.host ?? null,
  });
  const title = JSON.stringify(after.content.title);
  const notices = entries.flatMap((entry): Notice[] => {
    const common = about(entry.at);
    switch (entry.kind) {
      case 'proposal.decided': {
        const data = dataOf<ProposalDecidedData>(entry);
        const { step, proposal_hash: hash, decision, approvals_needed, approvals_given, rollback } = data;
        if (hash === null) return [];
        const key = proposalKey({ hash, step, rollback });
        const isHold = decision === 'HOLD';
        if (isHold && before?.gate.proposals.get(key)?.decision === 'HOLD') return [];
        const approvals = { needed: approvals_needed, given: approvals_given };
        const what = `${rollback ? 'The rollback of step' : 'Step'} ${step} of ${title}`;
        return [
          {
            ...common,
            event: isHold ? 'waiting' : 'decided',
            text: isHold
              ? `${what} waits for approval (${approvals_given} of ${approvals_needed}).`
              : `${what} was ${decision === 'ALLOW' ? 'allowed' : 'denied'} by the gate (${decision}).`,
            step: stepAt(after, step),
            ...(isHold ? { waits_for: 'approval' as const } : {}),
            proposal: { hash, rollback, decision, approvals },
            look: commandLine(['proposal', 'show', runId, hash]),
          },
        ];
      }
      case 'approval.given': {
        const { step, proposal_hash: hash, decision, approver } = dataOf<ApprovalGivenData>(entry);
        const proposal = [...after.gate.proposals.values()].find((one) => one.hash === hash);
        return [
          {
            ...common,
            event: 'answered',
            text: `${approver} ${decision === 'approve' ? 'approved' : 'denied'} ${proposal?.rollback ? 'the rollback of ' : ''}step ${step} of ${title}${answeredText(proposal, decision)}.`,
            step: stepAt(after, step),
            waits_for: 'approval',
            ...(proposal === undefined
              ? {}
              : {
                  proposal: {
                    hash,
                    rollback: proposal.rollback,
                    decision: proposal.decision,
                    approvals: { needed: proposal.approvals.needed, given: proposal.answered.given },
                  },
                }),
            answer: { decision, approver },
            look: commandLine(['proposal', 'show', runId, hash]),
          },
        ];
      }
      case 'proof.accepted': {
        const { step, type } = dataOf<ProofAcceptedData>(entry);
        if (type !== 'user_input') return [];
        const text = `Step ${step} of ${title} was answered.`;
        return [
          { ...common, event: 'answered', text, step: stepAt(after, step), waits_for: 'answer', look: show },
        ];
      }
      default:
        return [];
    }
  });
  const at = entries.at(-1)?.at;
  if (at === undefined) return notices;
  if (after.sealed !== null && before?.sealed == null) {
    const { outcome } = after.sealed;
    const text = `The run of ${title} ended: ${outcome}.`;
    notices.push({ ...about(at), event: 'ended', text, step: null, outcome, look: show });
  } else if (asksPerson(after) && !(before !== null && before.at === after.at && asksPerson(before))) {
    const { step } = pendingStation(after)!;
    notices.push({
      ...about(at),
      event: 'waiting',
      text: `Step ${step} of ${title} waits for an answer.`,
      step: stepAt(after, step),
      waits_for: 'answer',
      look: show,
    });
  }
  return notices;
}

/** How many approvals there are with this answer, or why it was denied. */
function answeredText(proposal: DecidedProposal | undefined, decision: 'approve' | 'deny'): string {
  if (proposal === undefined) return '';
  const { answered, approvals } = proposal;
  if (decision === 'deny')
    return answered.denial?.reason == null ? '' : `: ${JSON.stringify(answered.denial.reason)}`;
  return ` (${answered.given} of ${approvals.needed})`;
}

function stepAt({ content: { steps } }: RunState, index: number): Notice['step'] {
  return { index, count: steps.length, label: steps[index - 1]?.label ?? '' };
}
