import { resolve } from 'node:path';
import { programName } from '../base/command-line.ts';
import { redactValue } from '../base/json.ts';
import {
  type AgentCall,
  type HoldMatch,
  type HoldVerdict,
  isDemanded,
  judgeHolds,
  type ListedHold,
  lineWithValues,
  type SessionRun,
  type StepDemand,
} from '../gate/holds.ts';
import { keptOutput } from '../proof/shell.ts';
import { stepUri } from '../protocol/identity.ts';
import { hasPermit } from '../run/decide/consume-permit.ts';
import { demandOf, permittedEnvironment } from '../run/decide/guard.ts';
import { type CallReport, decideReport, isCallable } from '../run/decide/reported-call.ts';
import { initialState, pendingStation, type RunState, type Station } from '../run/state.ts';
import { HOLD } from '../run/wording.ts';
import type { RunRow } from '../store/port.ts';
import { isAccepted, type OperationContext } from './context.ts';
import { record } from './next.ts';
import { nextCallOf } from './run/answer.ts';
import { loadRun, transact } from './run/transact.ts';

/**
 * The runs of a session as the hold list judges them; unknown ids are left out. `matches`: of the call. A run of a protocol that
 * none of them names lifts none of them, so its trust isn't read. `permits`: the caller uses them itself.
 */
export async function heldRuns(
  ctx: OperationContext,
  runIds: readonly (string | RunRow)[],
  matches: readonly HoldMatch[],
  uses?: 'permits',
): Promise<SessionRun[]> {
  const runs: SessionRun[] = [];
  const lifting = new Set(matches.map(({ listed }) => listed.hold.protocol));
  for (const runId of runIds) {
    const run = await loadRun(ctx, runId);
    if (run === null) continue;
    const { state, revision } = run;
    const { slug } = revision.content;
    const held = heldRun(state, slug, lifting.has(slug) && (await isAccepted(ctx, revision)));
    runs.push({
      ...held,
      permitted: held.permitted || (uses !== undefined && hasPermit(state, ctx.clock())),
    });
  }
  return runs;
}

function heldRun(state: RunState, slug: string, accepted: boolean): SessionRun {
  const pending = state.sealed === null ? pendingStation(state) : null;
  return {
    runId: state.runId,
    slug,
    outcome: state.sealed?.outcome ?? null,
    step: pending?.step ?? null,
    demand: pending?.kind === 'proof' ? demandedCall(state, pending) : null,
    permitted: pending !== null && isCallable(state, pending),
    accepted,
  };
}

function demandedCall(state: RunState, station: Exclude<Station, { kind: 'none' }>): StepDemand | null {
  const { place } = state;
  const demand = demandOf(state, station);
  if (demand.type === 'shell') {
    const values = { ...state.values, ...permittedEnvironment(state, station) };
    const { cmd, workdir } = demand.shell;
    const folder = place?.workdir ?? null;
    const isOpen = folder === null || workdir === undefined;
    return { kind: 'command', command: cmd, folder: isOpen ? folder : resolve(folder, workdir), values };
  }
  if (demand.type !== 'mcp') return null;
  const { tool_name: tool, server = null, arguments: args } = demand.mcp;
  return { kind: 'tool', tool, server, arguments: args, folder: place?.workdir ?? null };
}

/** Judges a held call by the runs of the agent's session. Returns null for an allowed call, else the text for the agent. */
export async function judgeCall(
  ctx: OperationContext,
  matches: readonly HoldMatch[],
  runIds: readonly string[],
  call: AgentCall,
): Promise<{ outcome: 'deny' | 'ask'; text: string } | null> {
  const verdict = judgeHolds(matches, await heldRuns(ctx, runIds, matches), call);
  if (verdict.outcome === 'allow') return null;
  return { outcome: verdict.outcome, text: await explainHold(ctx, verdict, call) };
}

/** The run of these whose pending step demands exactly this call and permits it; null without one. */
export async function demandingRun(
  ctx: OperationContext,
  runIds: readonly string[],
  call: AgentCall,
): Promise<SessionRun | null> {
  const runs = await heldRuns(ctx, runIds, []);
  return runs.find((run) => isDemanded(run, call) && run.permitted) ?? null;
}

/** Why a call is held, with the literal way to make it. */
export async function explainHold(
  ctx: OperationContext,
  { match, reason, run }: Exclude<HoldVerdict, { outcome: 'allow' }>,
  call: AgentCall,
): Promise<string> {
  const { protocol } = match.listed.hold;
  const head = HOLD.held(match.text, protocol);
  if (reason === 'not-trusted') return `${head} ${HOLD['not-trusted'](protocol)}`;
  if (run !== null && reason !== 'no-run') {
    const found = await loadRun(ctx, run.runId);
    const action = found === null ? null : await nextCallOf(ctx, found.state);
    const line = reason === 'not-demanded' && run.permitted ? lineWithValues(run, call) : null;
    return [
      head,
      HOLD[reason],
      action === null ? '' : HOLD.goOn(action),
      line === null ? '' : HOLD.values(line),
    ]
      .filter(Boolean)
      .join(' ');
  }
  const revision = await ctx.store.headBySlug(ctx.caller.space, protocol);
  if (revision === null) return `${head} ${HOLD.missing(protocol, liftedBy(match.listed))}`;
  return `${head} ${HOLD['no-run'](stepUri(revision.chainId, 1))}`;
}

/** Where the user removes a hold. */
const liftedBy = ({ origin, source, hold }: ListedHold) =>
  origin === 'protocol' ? `${programName()} trust --revoke ${hold.protocol}` : source;

/** Records what was seen of a call that the pending step demands. Returns a note for the agent; null: nothing. */
export async function reportCall(
  ctx: OperationContext,
  runId: string,
  report: CallReport,
): Promise<string | null> {
  const solution = redactValue(
    report.type === 'shell' ? keptShell(report.solution) : report.solution,
    ctx.redact,
  );
  const decision = await transact(ctx, runId, (draft) => decideReport(draft, { ...report, solution }));
  const pending = pendingStation(decision.state);
  if (decision.entries.length === 0 || pending === null) return null;
  return HOLD.reported(pending.step, (await nextCallOf(ctx, decision.state))!);
}

/** The output as a ledger keeps it, so that a long one doesn't fill the record twice. */
function keptShell(solution: unknown): unknown {
  const { shell = {}, ...rest } = solution as { shell?: Record<string, unknown> };
  return { ...rest, shell: { ...shell, ...keptOutput('stdout', shell), ...keptOutput('stderr', shell) } };
}

/** The text that makes an agent continue its open run, and a mark that changes with the run's progress. Null for a sealed run. */
export async function openRunNote(
  ctx: OperationContext,
  runId: string,
  kind: 'openRun' | 'stop',
): Promise<{ text: string; progress: string } | null> {
  const run = await loadRun(ctx, runId);
  const pending = run === null ? null : pendingStation(run.state);
  if (run === null || run.state.sealed !== null) return null;
  const count = run.state.content.steps.length;
  const action = await nextCallOf(ctx, run.state);
  if (action === null) return null;
  const text = HOLD[kind](run.revision.content.slug, pending?.step ?? count, count, action);
  return { text, progress: `${run.state.at}/${run.state.proofs.length}` };
}

/** Notes on a run's record that its agent stopped before the end. */
export async function leaveRun(ctx: OperationContext, runId: string, source: string): Promise<void> {
  const run = await loadRun(ctx, runId);
  if (run === null || run.state.sealed !== null) return;
  const step = pendingStation(run.state)?.step ?? run.state.content.steps.length;
  await record(ctx, runId, 'run.left', { step, source });
}

/** The newest open run of this user that works in a folder; null without one. */
export async function openRunIn(ctx: OperationContext, folder: string): Promise<string | null> {
  const { space, actor } = ctx.caller;
  const open = await ctx.store.findRuns({ spaces: [space], actor, open: true, limit: LOOKED_AT });
  for (const row of open) {
    const run = await loadRun(ctx, row);
    if (run?.state.place?.workdir === folder) return row.runId;
  }
  return null;
}

/** Open runs that are read to find one of a folder. */
const LOOKED_AT = 20;

/** The steps of a stored protocol that demand exactly this call; null for an unknown protocol. */
export async function demandedSteps(
  ctx: OperationContext,
  slug: string,
  call: AgentCall,
): Promise<number[] | null> {
  const revision = await ctx.store.headBySlug(ctx.caller.space, slug);
  if (revision === null) return null;
  const state = initialState(revision.content);
  return state.stations.flatMap((station) => {
    if (station.kind !== 'proof') return [];
    const demand = demandedCall(state, station);
    return isDemanded({ outcome: null, demand }, call) ? [station.step] : [];
  });
}
