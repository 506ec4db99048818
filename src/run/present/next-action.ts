import { type CommandLine, plainCommand } from '../../base/command-line.ts';
import { whatLacks } from '../../proof/demand.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { Decision, RunProblem } from '../decide/draft.ts';
import { currentProposal, isShownUnderPermit, templateOf } from '../decide/guard.ts';
import { attestIsNext, MAX_RETRIES, pendingStation, type RunState, type Station } from '../state.ts';
import { MESSAGES, NEXT } from '../wording.ts';

export type RunTool = 'kairos_begin' | 'kairos_next' | 'kairos_attest' | 'kairos_propose';

/** Wait for what is running; ask about what was started and may have finished before anything else. */
export function actionAfter(
  decision: Pick<Decision, 'state' | 'problem' | 'running'>,
  exhausted: boolean,
  tool: RunTool,
  view: CallerView,
): string {
  const { state, running } = decision;
  const pending = pendingStation(state);
  if (running) return NEXT.advance(solveUri(state, pending));
  const action = nextAction(decision, exhausted, tool, view);
  const solves =
    action === NEXT.retry(solveUri(state, pending)) || action === NEXT.solve(solveUri(state, pending));
  return solves && state.inDoubt !== null ? NEXT.settleDoubt(action) : action;
}

function nextAction(
  { state, problem }: Pick<Decision, 'state' | 'problem'>,
  exhausted: boolean,
  tool: RunTool,
  view: CallerView,
): string {
  const pending = pendingStation(state);
  const here = stepUri(state.chainId, pending?.step ?? state.content.steps.length);
  const usedUp = state.retries >= MAX_RETRIES && problem?.code !== 'USER_DECLINED';
  if (exhausted || usedUp) return view.canUpdate ? NEXT.exhausted(here) : NEXT.exhaustedAsIs(here);
  if (problem === null || problem.code === 'CONFLICT') return normalAction(state, view);
  if (problem.code === 'USER_DECLINED')
    return view.obtainedBy === 'user'
      ? NEXT.declinedHere(solveUri(state, pending), here)
      : NEXT.declined(here);
  if (problem.code === 'PROPOSAL_REQUIRED') return NEXT.propose(here);
  if (problem.code === 'PROPOSAL_ON_HOLD') return holdAction(state, pending);
  if (problem.code === 'PROPOSAL_DENIED')
    return tool === 'kairos_propose' ? NEXT.retryPropose(here) : NEXT.propose(here);
  if (tool === 'kairos_propose') return normalAction(state, view);
  if (problem.code === 'OUT_OF_ORDER' && (pending === null || pending.kind !== 'proof'))
    return normalAction(state, view);
  if (tool === 'kairos_attest') {
    if (problem.code === 'MISSING_PROOF') return normalAction(state, view);
    if (attestIsNext(state)) {
      const lack = pending?.kind === 'closing' ? whatLacks(problem.code, pending.demand) : '';
      return NEXT.retryAttest(here, lack);
    }
  }
  if (pending !== null && templateOf(pending) !== undefined && !isShownUnderPermit(state))
    return guardedAction(state, pending);
  return retryAction(state, problem, view);
}

/** The next action after a failure: a retry that can succeed here, else a way to end the run. */
function retryAction(
  state: RunState,
  { code }: RunProblem,
  { obtainedBy, left, unmetAssurance, commandLine }: CallerView,
): string {
  const pending = pendingStation(state);
  const here = stepUri(state.chainId, pending?.step ?? state.content.steps.length);
  const uri = solveUri(state, pending);
  if (unmetAssurance !== null) {
    return left === 'untrusted'
      ? NEXT.untrusted(uri, commandLine(['trust', stepUri(state.chainId, 1)]), here)
      : NEXT.unmetAssurance(here, commandLine(['resume', state.runId]));
  }
  if (obtainedBy === 'command') return NEXT.retryLetServer(uri);
  if (code === 'ASSURANCE_TOO_LOW' && obtainedBy === 'model') return NEXT.retryLetModel(uri);
  if (code === 'ASSURANCE_TOO_LOW' && obtainedBy === 'user') return NEXT.retryLetUser(uri);
  return NEXT.retry(uri);
}

/** The call that continues the run from its current state. */
function normalAction(state: RunState, { obtainedBy }: CallerView): string {
  const pending = pendingStation(state);
  if (pending === null || pending.kind === 'closing') {
    return NEXT.attest(stepUri(state.chainId, state.content.steps.length));
  }
  if (!state.shown) return NEXT.advance(solveUri(state, pending));
  if (pending.kind === 'none') return NEXT.advance(stepUri(state.chainId, pending.step + 1));
  if (templateOf(pending) !== undefined && !isShownUnderPermit(state)) return guardedAction(state, pending);
  const uri = solveUri(state, pending);
  if (obtainedBy === 'command') return NEXT.letServer(uri);
  return obtainedBy === 'model' ? NEXT.letModel(uri) : NEXT.solve(uri);
}

/** What is on hold waits for people; what is allowed already waits for its time, or for a rollback to end. */
function holdAction(state: RunState, pending: Station | null): string {
  const isTooEarly = currentProposal(state)?.decision === 'ALLOW' && state.gate.openRollback === null;
  return isTooEarly
    ? NEXT.waitForPermit(solveUri(state, pending))
    : NEXT.hold(stepUri(state.chainId, pending?.step ?? state.content.steps.length));
}

/** A gated step is proposed first, then on hold or permitted. */
function guardedAction(state: RunState, pending: Station): string {
  const here = stepUri(state.chainId, pending.step);
  const current = currentProposal(state);
  const proposal = current?.used === true ? null : current;
  if (proposal?.decision === 'ALLOW') return NEXT.advance(solveUri(state, pending));
  return proposal?.decision === 'HOLD' ? NEXT.hold(here) : NEXT.propose(here);
}

/** The URI of the step after the shown one; of the shown one when it is the last. */
function solveUri(state: RunState, pending: Station | null): string {
  const last = state.content.steps.length;
  return stepUri(state.chainId, Math.min((pending?.step ?? last) + 1, last));
}

/** What the interface can do about the pending step. */
export interface CallerView {
  /** The protocol can be changed through it. */
  canUpdate: boolean;
  /** What it obtains itself for the pending step when it is asked to. */
  obtainedBy: 'command' | 'user' | 'model' | null;
  /** Why it leaves the pending command to people, though it runs others. */
  left: keyof typeof MESSAGES.left | null;
  /** The pending step asks for an assurance that nothing reaches here. */
  unmetAssurance: Assurance | null;
  /** Makes the commands that the answer names. */
  commandLine: CommandLine;
}

/** An interface with unknown abilities. */
export const ANYWHERE: CallerView = {
  canUpdate: true,
  obtainedBy: null,
  left: null,
  unmetAssurance: null,
  commandLine: plainCommand,
};

/** That the pending step cannot be proven here, and where it can. */
export function assuranceLines(
  { runId }: RunState,
  step: number,
  need: Assurance,
  commandLine: CommandLine,
): string[] {
  return [MESSAGES.unmetAssurance(step, need), MESSAGES.resumeByHand(commandLine(['resume', runId]))];
}
