import { meets } from '../../proof/demand.ts';
import { isReservedChain, stepUri } from '../../protocol/identity.ts';
import type { Decision } from '../../run/decide/draft.ts';
import { templateOf } from '../../run/decide/guard.ts';
import { isSamePlace } from '../../run/ports.ts';
import { actionAfter, type CallerView, type RunTool } from '../../run/present/next-action.ts';
import { present } from '../../run/present/present.ts';
import { pendingStation, type RunState, type Station } from '../../run/state.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { NEXT, withRun } from '../../run/wording.ts';
import { isTrusted, type OperationContext } from '../context.ts';

/** Returns a decision as the result of a tool, with a next action that is possible for the caller. */
export async function answerOf(ctx: OperationContext, decision: Decision, tool: RunTool): Promise<RunFields> {
  return present(decision, tool, await callerViewOf(ctx, decision.state));
}

/**
 * The literal next call of a run in this state, as `kairos_next` without a solution names it; without a solution, where the
 * report of a call is the proof. Null for a sealed run.
 */
export async function nextCallOf(ctx: OperationContext, state: RunState): Promise<string | null> {
  if (state.sealed !== null) return null;
  const pending = pendingStation(state);
  if (pending !== null && state.reported?.spent === false)
    return withRun(`${NEXT.advance(stepUri(state.chainId, pending.step))} and no solution`, state.runId);
  const running = ctx.running?.(state.runId) === state.at;
  const view = await callerViewOf(ctx, state);
  return withRun(actionAfter({ state, problem: null, running }, false, 'kairos_next', view), state.runId);
}

async function callerViewOf(ctx: OperationContext, state: RunState): Promise<CallerView> {
  const { commandLine } = ctx;
  const canUpdate = !ctx.readOnly && !isReservedChain(state.chainId);
  const pending = pendingStation(state);
  if (state.sealed !== null || pending?.kind !== 'proof') {
    return { canUpdate, obtainedBy: null, left: null, unmetAssurance: null, commandLine };
  }
  const { demand } = pending;
  const left = await leftToPeople(ctx, state, pending);
  const maximumAssurance = left === null ? ctx.caller.maximumAssurance[demand.type] : 'claimed';
  const need = demand.assurance;
  return {
    canUpdate,
    obtainedBy: left === null ? obtainedBy(ctx, pending) : null,
    left,
    unmetAssurance: need === undefined || meets(maximumAssurance, need) ? null : need,
    commandLine,
  };
}

/** Null where the command is run here, and where none is. */
async function leftToPeople(
  ctx: OperationContext,
  state: RunState,
  { demand }: ProofStation,
): Promise<CallerView['left']> {
  if (demand.type !== 'shell' || ctx.leaves === undefined) return null;
  if (state.inDoubt !== null) return 'inDoubt';
  if (ctx.place !== undefined && !isSamePlace(state.place, ctx.place)) return 'place';
  const revision = await ctx.store.revisionByDigest(state.chainId, state.digest);
  if (revision === null || !(await isTrusted(ctx, revision))) return 'untrusted';
  return ctx.leaves(demand.shell);
}

/** Who obtains the proof: this server, the client's user or its model. Null for a gated command, because the gate names the next call. */
function obtainedBy({ caller, leaves }: OperationContext, station: ProofStation): CallerView['obtainedBy'] {
  const { type } = station.demand;
  if (type === 'shell') return leaves !== undefined && templateOf(station) === undefined ? 'command' : null;
  if (caller.interface !== 'mcp' || caller.maximumAssurance[type] === 'claimed') return null;
  return type === 'user_input' ? 'user' : type === 'sampling' ? 'model' : null;
}

type ProofStation = Extract<Station, { kind: 'proof' }>;
