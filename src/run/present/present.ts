import { stepUri } from '../../protocol/identity.ts';
import type { Decision, WalkProblem } from '../decide/draft.ts';
import { attestIsNext, MAX_RETRIES, pendingStation, type RunState } from '../state.ts';
import type { WalkFields } from '../walk-fields.ts';
import { withRun } from '../wording.ts';
import { challengeOf } from './challenge.ts';
import { messageOf } from './message.ts';
import { actionAfter, type WalkTool } from './next-action.ts';
import { ANYWHERE, type Standing } from './standing.ts';

/** Turns a decision into the result for the agent or user. `tool` is the called tool. */
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
