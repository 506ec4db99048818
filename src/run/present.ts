import { describeChallenge } from '../proof/describe.ts';
import { whatLacks } from '../proof/lacks.ts';
import { stepUri } from '../protocol/identity.ts';
import type { Assurance } from '../protocol/schema.ts';
import type { Decision, WalkProblem } from './decide/draft.ts';
import {
  currentProposal,
  demandOf,
  isUnderPermit,
  permittedEnvironment,
  templateOf,
} from './decide/guard.ts';
import { stepsNotUndone, undoableAt } from './decide/rollback.ts';
import { pendingStation, type RunState } from './state.ts';
import type { Station } from './stations.ts';
import type { Challenge, WalkFields } from './walk-fields.ts';
import { MESSAGES, NEXT, withRun } from './wording.ts';

/** Failures of one step after which the walker need not obey any more. */
export const MAX_RETRIES = 3;

export type WalkTool = 'kairos_begin' | 'kairos_next' | 'kairos_attest' | 'kairos_propose';

/** What the face that answers can do about the step at hand. */
export interface Standing {
  /** The protocol can be changed through it. */
  canUpdate: boolean;
  /** What it obtains itself for the pending step when it is asked to. */
  obtains: 'command' | 'user' | 'model' | null;
  /** Why it leaves the pending command to people, though it runs others. */
  left: keyof typeof MESSAGES.left | null;
  /** The pending step asks for an assurance that nothing reaches here. */
  beyondReach: Assurance | null;
}

/** A face of which nothing is known. */
const ANYWHERE: Standing = { canUpdate: true, obtains: null, left: null, beyondReach: null };

/** Turns a decision into the answer that a walker reads. `tool` is the one that was called. */
export function present(decision: Decision, tool: WalkTool, standing: Standing = ANYWHERE): WalkFields {
  const { state, problem } = decision;
  const pending = pendingStation(state);
  const exhausted = problem !== null && isCounted(problem) && state.retries >= MAX_RETRIES;
  const message = messageOf(decision, exhausted, standing);
  return {
    must_obey: state.retries < MAX_RETRIES && state.sealed === null,
    next_action:
      state.sealed === null ? withRun(actionAfter(decision, exhausted, tool, standing), state.runId) : null,
    run_id: state.runId,
    protocol_status: statusOf(state, problem),
    current_step: currentStep(state),
    next_step: nextStep(state),
    challenge: challengeOf(decision, pending, standing),
    ...(decision.proofHash === null ? {} : { proof_hash: decision.proofHash }),
    ...(message === '' ? {} : { message }),
    ...(problem === null
      ? {}
      : exhausted
        ? { error_code: 'MAX_RETRIES_EXCEEDED', cause_code: problem.code }
        : { error_code: problem.code }),
    ...(problem?.violations === undefined ? {} : { violations: problem.violations }),
    ...(problem === null && state.retries === 0 ? {} : { retry_count: state.retries }),
  };
}

function statusOf(state: RunState, problem: WalkProblem | null): WalkFields['protocol_status'] {
  if (problem !== null) return 'blocked';
  return state.sealed !== null || attestIsNext(state) ? 'completed' : 'continue';
}

/** Nothing but the closing comment is left, or not even that. */
export function attestIsNext(state: RunState): boolean {
  const pending = pendingStation(state);
  return pending === null || pending.kind === 'closing';
}

/** What is being run is waited for; what was started and may have done its work is asked about before anything is said. */
function actionAfter(decision: Decision, exhausted: boolean, tool: WalkTool, standing: Standing): string {
  const { state, running } = decision;
  const pending = pendingStation(state);
  if (running) return NEXT.advance(solveUri(state, pending));
  const action = nextAction(decision, exhausted, tool, standing);
  const solves =
    action === NEXT.retry(solveUri(state, pending)) || action === NEXT.solve(solveUri(state, pending));
  return solves && state.inDoubt !== null ? NEXT.settleDoubt(action) : action;
}

function nextAction(
  { state, problem }: Decision,
  exhausted: boolean,
  tool: WalkTool,
  standing: Standing,
): string {
  const pending = pendingStation(state);
  const here = stepUri(state.chainId, pending?.step ?? state.content.steps.length);
  const usedUp = state.retries >= MAX_RETRIES && problem?.code !== 'USER_DECLINED';
  if (exhausted || usedUp) return standing.canUpdate ? NEXT.exhausted(here) : NEXT.exhaustedAsIs(here);
  if (problem === null || problem.code === 'CONFLICT') return normalAction(state, standing);
  if (problem.code === 'USER_DECLINED') return NEXT.declined(here);
  if (problem.code === 'PROPOSAL_REQUIRED') return NEXT.propose(here);
  if (problem.code === 'PROPOSAL_ON_HOLD') return NEXT.hold(here);
  if (problem.code === 'PROPOSAL_DENIED')
    return tool === 'kairos_propose' ? NEXT.retryPropose(here) : NEXT.propose(here);
  if (tool === 'kairos_propose') return normalAction(state, standing);
  if (problem.code === 'OUT_OF_ORDER' && (pending === null || pending.kind !== 'proof'))
    return normalAction(state, standing);
  if (tool === 'kairos_attest') {
    if (problem.code === 'MISSING_PROOF') return normalAction(state, standing);
    if (attestIsNext(state)) {
      const lack = pending?.kind === 'closing' ? whatLacks(problem.code, pending.demand) : '';
      return NEXT.retryAttest(here, lack);
    }
  }
  if (pending !== null && templateOf(pending) !== undefined && !isShownUnderPermit(state))
    return guardedAction(state, pending);
  return retryAction(state, problem, standing);
}

/** Once more, in the way that can succeed here; a way out where none can. */
function retryAction(
  state: RunState,
  { code }: WalkProblem,
  { obtains, left, beyondReach }: Standing,
): string {
  const pending = pendingStation(state);
  const here = stepUri(state.chainId, pending?.step ?? state.content.steps.length);
  const uri = solveUri(state, pending);
  if (beyondReach !== null) {
    return left === 'untrusted'
      ? NEXT.untrusted(uri, stepUri(state.chainId, 1), here)
      : NEXT.outOfReach(here, state.runId);
  }
  if (obtains === 'command') return NEXT.retryLetServer(uri);
  if (code === 'ASSURANCE_TOO_LOW' && obtains === 'model') return NEXT.retryLetModel(uri);
  if (code === 'ASSURANCE_TOO_LOW' && obtains === 'user') return NEXT.retryLetUser(uri);
  return NEXT.retry(uri);
}

/** The call that takes the run on from where it stands. */
function normalAction(state: RunState, { obtains }: Standing): string {
  const pending = pendingStation(state);
  if (pending === null || pending.kind === 'closing') {
    return NEXT.attest(stepUri(state.chainId, state.content.steps.length));
  }
  if (pending.kind === 'none') return NEXT.advance(stepUri(state.chainId, pending.step + 1));
  if (templateOf(pending) !== undefined && !isShownUnderPermit(state)) return guardedAction(state, pending);
  const uri = solveUri(state, pending);
  return obtains === 'command' ? NEXT.letServer(uri) : NEXT.solve(uri);
}

/** A guarded step is proposed first, then held or permitted. */
function guardedAction(state: RunState, pending: Station): string {
  const here = stepUri(state.chainId, pending.step);
  const current = currentProposal(state);
  const proposal = current?.used === true ? null : current;
  if (proposal?.decision === 'ALLOW') return NEXT.advance(solveUri(state, pending));
  return proposal?.decision === 'HOLD' ? NEXT.hold(here) : NEXT.propose(here);
}

/** The newest nonce went out together with what a permit lets be done. */
function isShownUnderPermit(state: RunState): boolean {
  return isUnderPermit(state, state.nonces.at(-1) ?? null);
}

/** The URI of the step after the shown one; of the shown one when it is the last. */
function solveUri(state: RunState, pending: Station | null): string {
  const last = state.content.steps.length;
  return stepUri(state.chainId, Math.min((pending?.step ?? last) + 1, last));
}

function currentStep(state: RunState): WalkFields['current_step'] {
  const index = pendingStation(state)?.step ?? state.content.steps.length;
  const step = state.content.steps[index - 1];
  if (step === undefined) return null;
  return { uri: stepUri(state.chainId, index), content: step.body, mimeType: 'text/markdown' };
}

function nextStep(state: RunState): WalkFields['next_step'] {
  const count = state.content.steps.length;
  const index = (pendingStation(state)?.step ?? count) + 1;
  const step = state.content.steps[index - 1];
  if (step === undefined) return null;
  return { uri: stepUri(state.chainId, index), position: `${index}/${count}`, label: step.label };
}

/** A challenge is shown only with the nonce that was made for it just now. */
function challengeOf(
  { state, nonce, proposal }: Decision,
  pending: Station | null,
  standing: Standing,
): Challenge | null {
  if (pending === null || pending.kind === 'none' || nonce === null) return null;
  const { block } = pending;
  const demand = demandOf(state, pending);
  const common = { nonce, proof_hash: state.echo };
  if (block.proposal !== undefined && !isShownUnderPermit(state)) {
    // Command and tool are withheld until the gate has allowed the step.
    return {
      type: 'proposal',
      description: describeChallenge('proposal'),
      ...common,
      proposal: block.proposal,
      ...(proposal === null ? {} : { proposal_draft: proposal }),
    };
  }
  const environment = Object.entries(permittedEnvironment(state, pending));
  return {
    type: demand.type,
    description: descriptionOf(state, pending, standing),
    ...common,
    ...(demand.assurance === undefined ? {} : { assurance: demand.assurance }),
    ...(block.outputs === undefined ? {} : { outputs: block.outputs }),
    [demand.type]: (demand as Record<string, unknown>)[demand.type],
    ...(environment.length === 0 ? {} : { environment: Object.fromEntries(environment) }),
  };
}

/** What to do, and what of it can be done here. */
function descriptionOf(
  state: RunState,
  { demand, step }: Exclude<Station, { kind: 'none' }>,
  { obtains, left, beyondReach }: Standing,
): string {
  if (obtains === 'command') return MESSAGES.serverRuns;
  return [
    describeChallenge(demand.type),
    ...(left === null ? [] : [MESSAGES.left[left](stepUri(state.chainId, 1))]),
    ...(beyondReach === null ? [] : reachLines(state, step, beyondReach)),
  ].join(' ');
}

function reachLines({ runId }: RunState, step: number, need: Assurance): string[] {
  return [MESSAGES.outOfReach(step, need), MESSAGES.resumeByHand(runId)];
}

function messageOf(
  { state, problem, notes, running }: Decision,
  exhausted: boolean,
  { left, beyondReach }: Standing,
): string {
  const lines: string[] = [];
  if (exhausted) lines.push(MESSAGES.maxRetries);
  if (problem !== null) lines.push(problem.message);
  else if (state.sealed === null && attestIsNext(state)) {
    lines.push(MESSAGES.complete);
    // The last moment: nothing of a sealed run is undone.
    lines.push(...stepsNotUndone(state).map((step) => MESSAGES.canRollBack(state.runId, step)));
  }
  if (running) lines.push(...(problem?.message === MESSAGES.running ? [] : [MESSAGES.running]));
  else if (state.inDoubt !== null) lines.push(MESSAGES.inDoubt);
  if (problem?.code === 'MISSING_PROOF' || problem?.code === 'ASSURANCE_TOO_LOW') {
    const step = pendingStation(state)?.step ?? 0;
    if (left !== null) lines.push(MESSAGES.left[left](stepUri(state.chainId, 1)));
    if (beyondReach !== null) lines.push(...reachLines(state, step, beyondReach));
  }
  if (problem !== null) lines.push(...rollbackLines(state, problem));
  return [...lines, ...notes].join(' ');
}

/** That what a failed or doubtful attempt may have done can be undone, or is being undone. */
function rollbackLines(state: RunState, { code, message }: WalkProblem): string[] {
  const step = pendingStation(state)?.step ?? 0;
  const { undoing } = state.gate;
  if (undoing?.step === step) return message === MESSAGES.rollbackInDoubt ? [] : [MESSAGES.rollbackInDoubt];
  const undoable = undoableAt(state, step);
  if (typeof undoable === 'string' || (undoable.inDoubt && code !== 'PROPOSAL_REQUIRED')) return [];
  return [MESSAGES.canRollBack(state.runId, step)];
}

const NEVER_COUNTED = new Set([
  'MISSING_PROOF',
  'OUT_OF_ORDER',
  'CONFLICT',
  'RUN_CLOSED',
  'PROPOSAL_REQUIRED',
  'PROPOSAL_DENIED',
  'PROPOSAL_ON_HOLD',
  'USER_DECLINED',
  'ELICITATION_FAILED',
]);
function isCounted(problem: WalkProblem): boolean {
  return !NEVER_COUNTED.has(problem.code);
}
