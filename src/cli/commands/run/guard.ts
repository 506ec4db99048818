import { escapeForTerminal } from '../../../base/escape.ts';
import { next } from '../../../operations/next.ts';
import {
  allowedStep,
  completedProposal,
  denialBefore,
  givenBefore,
  guardNeed,
  type ProposeOutput,
  propose,
} from '../../../operations/propose.ts';
import { canRollBack } from '../../../operations/rollback.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { RunState } from '../../../run/state.ts';
import { MESSAGES } from '../../../run/wording.ts';
import { personMessage } from '../../views/demand.ts';
import { proposalQuestion, stepOf } from './questions.ts';
import { askQuestion, askYes, RUN_EXIT, type RunSession, type Stop, stop } from './session.ts';
import { afterInterrupt, type Solved, type StepContext } from './work.ts';

/**
 * Asks for the proposal of a gated step and submits it to the gate. Returns the step with its unused permit, or why the run can't
 * continue. Returns steps without a proposal unchanged.
 */
export async function openGuard(work: StepContext): Promise<StepContext | Solved> {
  const { session, state, station } = work;
  const need = guardNeed(state, station);
  if (need === 'nothing') return work;

  const uri = stepUri(state.chainId, station.step);
  if (need === 'proposal-after-use') {
    session.reporter.note(MESSAGES.permitInDoubt);
    for (const offer of rollbackOffer(session, state, station.step)) session.reporter.note(offer);
    // For a started command, the question was already asked.
    const refused = state.inDoubt === null ? await proposeAnew(work) : null;
    if (refused !== null) return refused;
  }
  const answer =
    need === 'judgement'
      ? await propose(session.ctx, { uri, run_id: session.runId })
      : await askProposal(work, uri);
  if ('kind' in answer) return answer;
  if (answer.decision === 'HOLD') {
    const { needed, given } = answer.approvals ?? { needed: 0, given: 0 };
    const command = session.ctx.commandLine([
      'proposal',
      'approve',
      session.runId,
      answer.proposal_hash ?? '',
    ]);
    if (need === 'judgement' && givenBefore(state) > given)
      session.reporter.note(
        `Approvals that were given do not count now. See why: ${session.ctx.commandLine(['proposal', 'show', session.runId])}`,
      );
    const reason = `On hold: ${given} of ${needed} approvals. Another person approves with: ${command}`;
    const step = stepOf(session.content, station);
    return stop(RUN_EXIT.inputNeeded, reason, [
      { id: `${station.step}.approval`, kind: 'confirm', message: reason, step },
    ]);
  }
  if (answer.decision !== 'ALLOW') {
    for (const { code, pointer, message } of answer.reasons ?? [])
      session.reporter.note(`${code} ${escapeForTerminal(pointer)} ${message}`);
    const message = 'The proposal is denied, for the reasons above.';
    return { kind: 'fields', fields: { ...answer, message }, assurance: null };
  }
  const allowed = (await loadRun(session.ctx, session.runId))!;
  return {
    ...work,
    ...allowedStep(allowed.state, station),
    state: allowed.state,
    triesAgain: false,
    hasPermit: true,
  };
}

/**
 * Uses up the permit of a gated step, directly before its work: from here its outcome may be unknown. Returns the step
 * with the nonce that was shown for it, or the refusal.
 */
export async function usePermit(work: StepContext): Promise<StepContext | Solved> {
  const { session, station } = work;
  if (work.hasPermit !== true) return work;
  const uri = stepUri(work.state.chainId, station.step);
  const fields = await next(session.ctx, { uri, run_id: session.runId });
  if (fields.error_code != null) return { kind: 'fields', fields, assurance: null };
  const { state } = (await loadRun(session.ctx, session.runId))!;
  return { ...work, state, fields, hasPermit: false };
}

/** Asks a person whether to propose again after an unknown outcome. A prepared answer can't confirm it. Null: propose. */
function proposeAnew({ session, station }: StepContext): Promise<Stop | null> {
  return askYes(session, {
    kind: 'confirm',
    name: 'again',
    step: stepOf(session.content, station),
    message: 'The permit of this step was used and its outcome is unknown. Propose the step again?',
    default: false,
    byHand: true,
  });
}

/** How what a step may have done is rolled back; empty if it can't be. */
export function rollbackOffer({ ctx, runId }: RunSession, state: RunState, step: number): string[] {
  if (!canRollBack(state, step)) return [];
  const message = MESSAGES.canRollBack(ctx.commandLine(['rollback', runId, String(step)]), step);
  return [personMessage({ message })];
}

/** Asks a person to complete the draft, and submits it to the gate. */
async function askProposal(work: StepContext, uri: string): Promise<ProposeOutput | Solved> {
  const { session, station } = work;
  const shown =
    work.fields.challenge?.proposal_draft === undefined
      ? await next(session.ctx, { uri, run_id: session.runId })
      : work.fields;
  const draft = shown.challenge?.proposal_draft ?? {};
  const denial = denialBefore(work.state, station.step);
  if (denial !== null)
    session.reporter.note(escapeForTerminal(MESSAGES.deniedBefore(denial.by, denial.reason)));
  const given = await askQuestion(session, proposalQuestion(session.content, station, draft));
  if (given.kind === 'stop') return given;
  if (given.kind === 'interrupted') return afterInterrupt(work);
  const proposal = completedProposal(draft, String(given.value));
  return propose(session.ctx, { uri, run_id: session.runId, proposal });
}
