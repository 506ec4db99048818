import { KairosError } from '../base/errors.ts';
import { stepUri } from '../protocol/identity.ts';
import { pendingStation, type RunState } from '../run/state.ts';
import type { RunFields } from '../run/walk-fields.ts';
import { orDamaged } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { next } from './next.ts';
import { loadRun } from './run/transact.ts';

/** What an open run asks a person, and what distinguishes this question from a later one. */
export interface RunQuestion {
  station: number;
  step: number;
  label: string;
  type: 'user_input' | 'comment';
  prompt: string;
  choices: readonly string[] | null;
  /** The least number of characters of an answer; null without a limit. */
  minLength: number | null;
}

/** The question of the pending step; null where it asks a person nothing. */
export function questionOf(state: RunState): RunQuestion | null {
  const pending = pendingStation(state);
  if (state.sealed !== null || pending === null || pending.kind === 'none') return null;
  const { demand, step, kind } = pending;
  const base = { station: state.at, step, label: state.content.steps[step - 1]?.label ?? '' };
  if (kind === 'proof' && demand.type === 'user_input') {
    const { prompt, choices } = demand.user_input;
    return { ...base, type: 'user_input', prompt, choices: choices ?? null, minLength: null };
  }
  if (demand.type === 'comment') {
    const prompt =
      kind === 'closing' ? 'How did it go? This closes the protocol.' : 'What was done in this step?';
    return { ...base, type: 'comment', prompt, choices: null, minLength: demand.comment.min_length ?? null };
  }
  return null;
}

/** What a stored run asks a person now; null for a damaged one too. */
export async function pendingQuestion(ctx: OperationContext, run: RunRow): Promise<RunQuestion | null> {
  const loaded = await orDamaged(loadRun(ctx, run));
  return loaded === null || loaded === 'damaged' ? null : questionOf(loaded.state);
}

/**
 * Submits a person's answer to the question of a run, also of an agent's run. Its assurance is `client`. `station`: the
 * station whose question was shown. Throws RUN_NOT_FOUND. Throws INVALID_INPUT when the run asks another question or none.
 */
export async function answerRun(
  ctx: OperationContext,
  runId: string,
  text: string,
  station?: number,
): Promise<RunFields> {
  const run = await loadRun(ctx, runId);
  if (run === null) throw new KairosError('RUN_NOT_FOUND', `there is no run ${runId} in this space`);
  const question = questionOf(run.state);
  if (station !== undefined && run.state.at !== station) {
    throw new KairosError('INVALID_INPUT', `run ${runId} has moved on: this question is answered already`, {
      hint: 'Show the run again; it may ask another question now.',
    });
  }
  if (question === null) {
    throw new KairosError('INVALID_INPUT', `run ${runId} doesn't ask a person anything now`, {
      hint: `Show its state with: ${ctx.commandLine(['runs', 'show', runId])}`,
    });
  }
  const uri = stepUri(run.state.chainId, question.step);
  const shown = await next(ctx, { uri, run_id: runId });
  const { challenge } = shown;
  if (challenge == null || challenge.type !== question.type) return shown;
  const { nonce, proof_hash } = challenge;
  const given =
    question.type === 'user_input' ? { user_input: { confirmation: text } } : { comment: { text } };
  const solution = { type: question.type, nonce, proof_hash, ...given };
  return next(ctx, { uri, run_id: runId, solution }, { assurance: 'client' });
}
