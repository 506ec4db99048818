import type { CommandLine } from '../../base/command-line.ts';
import { describeChallenge } from '../../proof/demand.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Decision, RunProblem } from '../decide/draft.ts';
import { demandOf, isShownUnderPermit, permittedEnvironment } from '../decide/guard.ts';
import { rollbackCandidateAt, stepsNotRolledBack } from '../decide/rollback.ts';
import { lastDenial } from '../gate-state.ts';
import { attestIsNext, MAX_RETRIES, pendingStation, type RunState, type Station } from '../state.ts';
import type { Challenge, RunFields } from '../walk-fields.ts';
import { MESSAGES, withRun } from '../wording.ts';
import { ANYWHERE, actionAfter, assuranceLines, type CallerView, type RunTool } from './next-action.ts';

/** Turns a decision into the result for the agent or user. `tool` is the called tool. */
export function present(decision: Decision, tool: RunTool, view: CallerView = ANYWHERE): RunFields {
  const { state, problem } = decision;
  const pending = pendingStation(state);
  const exhausted = problem !== null && isCounted(problem) && state.retries >= MAX_RETRIES;
  const challenge = challengeOf(decision, pending, view);
  const message = messageOf(decision, exhausted, view);
  return {
    must_obey: state.retries < MAX_RETRIES && state.sealed === null,
    next_action:
      state.sealed === null ? withRun(actionAfter(decision, exhausted, tool, view), state.runId) : null,
    run_id: state.runId,
    protocol_status: statusOf(state, problem),
    current_step: currentStep(decision),
    next_step: nextStep(state),
    challenge,
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

function statusOf(state: RunState, problem: RunProblem | null): RunFields['protocol_status'] {
  if (problem !== null) return 'blocked';
  return state.sealed !== null || attestIsNext(state) ? 'completed' : 'continue';
}

function currentStep({ state, tellsStep }: Decision): RunFields['current_step'] {
  const count = state.content.steps.length;
  const index = pendingStation(state)?.step ?? count;
  const step = state.content.steps[index - 1];
  if (step === undefined) return null;
  const { label, body } = step;
  return {
    uri: stepUri(state.chainId, index),
    position: `${index}/${count}`,
    // The heading is all there is where the body is only the block.
    ...(tellsStep ? { label, content: body === '' ? label : body, mimeType: 'text/markdown' as const } : {}),
  };
}

function nextStep(state: RunState): RunFields['next_step'] {
  const count = state.content.steps.length;
  const index = (pendingStation(state)?.step ?? count) + 1;
  const step = state.content.steps[index - 1];
  if (step === undefined) return null;
  return { uri: stepUri(state.chainId, index), position: `${index}/${count}`, label: step.label };
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
function isCounted(problem: RunProblem): boolean {
  return !NEVER_COUNTED.has(problem.code);
}

/** The message next to the next action, in fixed words. */
function messageOf(
  { state, problem, notes, running }: Decision,
  exhausted: boolean,
  { obtainedBy, left, unmetAssurance, commandLine }: CallerView,
): string {
  const lines: string[] = [];
  if (exhausted) lines.push(MESSAGES.maxRetries);
  if (problem !== null) lines.push(wordsOf(problem, obtainedBy));
  else if (state.sealed === null && attestIsNext(state)) {
    lines.push(MESSAGES.complete);
    // The last moment: nothing of a sealed run is rolled back.
    const rollbackLine = (step: number) =>
      MESSAGES.canRollBack(commandLine(['rollback', state.runId, String(step)]), step);
    lines.push(...stepsNotRolledBack(state).map(rollbackLine));
  }
  if (running) lines.push(...(problem?.message === MESSAGES.running ? [] : [MESSAGES.running]));
  else if (state.inDoubt !== null)
    lines.push(state.sealed === null ? MESSAGES.inDoubt : MESSAGES.endUnrecorded);
  if (problem?.code === 'MISSING_PROOF' || problem?.code === 'ASSURANCE_TOO_LOW') {
    const step = pendingStation(state)?.step ?? 0;
    if (left !== null) lines.push(MESSAGES.left[left](commandLine(['trust', stepUri(state.chainId, 1)])));
    if (unmetAssurance !== null) lines.push(...assuranceLines(state, step, unmetAssurance, commandLine));
  }
  if (problem !== null) lines.push(...rollbackLines(state, problem, commandLine));
  return [...lines, ...notes].join(' ');
}

/** Nothing has to be solved where this server does what is asked for. */
function wordsOf({ message }: RunProblem, obtainedBy: CallerView['obtainedBy']): string {
  return message === MESSAGES.missingProof && obtainedBy === 'command' ? MESSAGES.missingForServer : message;
}

/** That the effect of a failed or unknown attempt can be rolled back, or is being rolled back. */
function rollbackLines(state: RunState, { code, message }: RunProblem, commandLine: CommandLine): string[] {
  const step = pendingStation(state)?.step ?? 0;
  const { openRollback } = state.gate;
  if (openRollback?.step === step)
    return message === MESSAGES.rollbackInDoubt ? [] : [MESSAGES.rollbackInDoubt];
  const candidate = rollbackCandidateAt(state, step);
  if (typeof candidate === 'string' || (candidate.inDoubt && code !== 'PROPOSAL_REQUIRED')) return [];
  return [MESSAGES.canRollBack(commandLine(['rollback', state.runId, String(step)]), step)];
}

/** A challenge is shown only with its new nonce. */
function challengeOf(
  { state, nonce, proposal, problem }: Decision,
  pending: Station | null,
  view: CallerView,
): Challenge | null {
  if (pending === null || pending.kind === 'none' || nonce === null) return null;
  const { block } = pending;
  const demand = demandOf(state, pending);
  const common = { nonce, proof_hash: state.echo };
  if (block.proposal !== undefined && !isShownUnderPermit(state)) {
    // Command and tool are withheld until the gate has allowed the step.
    const denial = lastDenial(state.gate, pending.step);
    return {
      type: 'proposal',
      description: [
        describeChallenge('proposal'),
        ...(denial === null ? [] : [MESSAGES.deniedBefore(denial.by, denial.reason)]),
      ].join(' '),
      ...common,
      proposal: block.proposal,
      ...(proposal === null ? {} : { proposal_draft: proposal }),
    };
  }
  const values = demand.type === 'shell' ? state.values : {};
  const environment = Object.entries({ ...values, ...permittedEnvironment(state, pending) });
  return {
    type: demand.type,
    description:
      problem === null && view.obtainedBy === 'model'
        ? MESSAGES.serverAsksModel
        : descriptionOf(state, pending, view),
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
  { obtainedBy, left, unmetAssurance, commandLine }: CallerView,
): string {
  if (obtainedBy === 'command') return MESSAGES.serverRuns;
  const secrets = demand.type === 'shell' ? [...state.secrets.keys()] : [];
  return [
    describeChallenge(demand.type),
    ...(secrets.length === 0 ? [] : [MESSAGES.secretVariables(secrets)]),
    ...(left === null ? [] : [MESSAGES.left[left](commandLine(['trust', stepUri(state.chainId, 1)]))]),
    ...(unmetAssurance === null ? [] : assuranceLines(state, step, unmetAssurance, commandLine)),
  ].join(' ');
}
