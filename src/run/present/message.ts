import type { CommandLine } from '../../base/command-line.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Decision, WalkProblem } from '../decide/draft.ts';
import { stepsNotUndone, undoableAt } from '../decide/undoable.ts';
import { attestIsNext, pendingStation, type RunState } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import { reachLines, type Standing } from './standing.ts';

/** The message next to the next action, in fixed words. */
export function messageOf(
  { state, problem, notes, running }: Decision,
  exhausted: boolean,
  { left, beyondReach, commandLine }: Standing,
): string {
  const lines: string[] = [];
  if (exhausted) lines.push(MESSAGES.maxRetries);
  if (problem !== null) lines.push(problem.message);
  else if (state.sealed === null && attestIsNext(state)) {
    lines.push(MESSAGES.complete);
    // The last moment: nothing of a sealed run is rolled back.
    const undo = (step: number) =>
      MESSAGES.canRollBack(commandLine(['rollback', state.runId, String(step)]), step);
    lines.push(...stepsNotUndone(state).map(undo));
  }
  if (running) lines.push(...(problem?.message === MESSAGES.running ? [] : [MESSAGES.running]));
  else if (state.inDoubt !== null)
    lines.push(state.sealed === null ? MESSAGES.inDoubt : MESSAGES.endUnrecorded);
  if (problem?.code === 'MISSING_PROOF' || problem?.code === 'ASSURANCE_TOO_LOW') {
    const step = pendingStation(state)?.step ?? 0;
    if (left !== null) lines.push(MESSAGES.left[left](commandLine(['trust', stepUri(state.chainId, 1)])));
    if (beyondReach !== null) lines.push(...reachLines(state, step, beyondReach, commandLine));
  }
  if (problem !== null) lines.push(...rollbackLines(state, problem, commandLine));
  return [...lines, ...notes].join(' ');
}

/** That the effect of a failed or unknown attempt can be rolled back, or is being rolled back. */
function rollbackLines(state: RunState, { code, message }: WalkProblem, commandLine: CommandLine): string[] {
  const step = pendingStation(state)?.step ?? 0;
  const { undoing } = state.gate;
  if (undoing?.step === step) return message === MESSAGES.rollbackInDoubt ? [] : [MESSAGES.rollbackInDoubt];
  const undoable = undoableAt(state, step);
  if (typeof undoable === 'string' || (undoable.inDoubt && code !== 'PROPOSAL_REQUIRED')) return [];
  return [MESSAGES.canRollBack(commandLine(['rollback', state.runId, String(step)]), step)];
}
