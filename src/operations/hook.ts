import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { redactValue } from '../base/json.ts';
import {
  type AgentCall,
  type HoldMatch,
  type HoldVerdict,
  isDemanded,
  judgeHolds,
  lineWithValues,
  type SessionRun,
  type StepDemand,
} from '../gate/holds.ts';
import { keptOutput } from '../proof/shell.ts';
import { stepUri } from '../protocol/identity.ts';
import { hasPermit } from '../run/decide/consume-permit.ts';
import { demandOf, permittedEnvironment } from '../run/decide/guard.ts';
import { type CallReport, decideReport, isCallable, startCall } from '../run/decide/record-proof.ts';
import { initialState, pendingStation, type RunState, type Station } from '../run/state.ts';
import { HOLD, NEXT } from '../run/wording.ts';
import type { RunRow } from '../store/port.ts';
import { isAccepted, type OperationContext } from './context.ts';
import { record } from './next.ts';
import { nextCallOf } from './run/answer.ts';
import { loadRun, transact } from './run/transact.ts';

/**
 * The runs of a session as the hold list judges them; unknown ids are left out. `matches`: of the call. A run of a protocol that
 * none of them names lifts none of them, so its trust isn't read. `permits`: the caller uses them itself.
 */
async function heldRuns(
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

/** A call that the pending step of a run demands, from before it is made until its result is there. */
export interface DemandedCall {
  run: SessionRun;
  arguments: unknown;
  /** Of the start on record; null for a step without a proposal, whose call needs no permit. */
  attempt: string | null;
}

/** A gateway: when it started, and the file that has another server under the name that a step demands; null without one. */
export interface GatewayStart {
  since: string;
  otherServer(demand: StepDemand | null): Promise<string | null>;
}

/**
 * Judges a tool call of an agent whose session is unknown, by the open runs of this user and those that ended since
 * its start. The start of a call under a permit is put on record, so that of two concurrent calls only one is made.
 */
export async function passCall(
  ctx: OperationContext,
  matches: readonly HoldMatch[],
  call: Extract<AgentCall, { kind: 'tool' }>,
  { since, otherServer }: GatewayStart,
): Promise<{ refusal: string | null; demanded: DemandedCall | null }> {
  const query = { spaces: [ctx.caller.space], actor: ctx.caller.actor, limit: MAX_OPEN };
  const rows = await ctx.store.findRuns({ ...query, open: true });
  if (matches.some(({ listed }) => listed.hold.allow_when === 'attested')) {
    const ended = await ctx.store.findRuns({ ...query, open: false });
    rows.push(...ended.filter(({ sealedAt }) => sealedAt !== null && sealedAt >= since));
  }
  if (rows.length === 0 && matches.length === 0) return { refusal: null, demanded: null };
  const runs = await heldRuns(ctx, rows, matches, 'permits');
  const verdict = judgeHolds(matches, runs, call);
  if (verdict.outcome !== 'allow') return { refusal: await explainHold(ctx, verdict, call), demanded: null };
  const run = runs.find((each) => isDemanded(each, call) && each.permitted) ?? null;
  if (run === null) return { refusal: null, demanded: null };
  const other = await otherServer(run.demand);
  if (other !== null)
    return { refusal: matches.length === 0 ? null : HOLD['other-server'](other), demanded: null };
  const attempt = randomUUID();
  const cmd = [call.server ?? [], call.tool].flat().join(': ');
  let start: ReturnType<typeof startCall> = 'refused';
  await transact(ctx, run.runId, (draft) => {
    start = startCall(draft, run.step!, { attempt, cmd });
    return draft.done();
  });
  if (start === 'refused') return { refusal: HOLD['no-permit'], demanded: null };
  const demanded = { run, arguments: call.arguments, attempt: start === 'free' ? null : attempt };
  return { refusal: null, demanded };
}

/** Open runs of a user that are compared with a call. */
const MAX_OPEN = 50;

/** Puts the result of a demanded call on record; null: it has none yet, and the call may be made again. */
export async function finishCall(
  ctx: OperationContext,
  { run, attempt }: DemandedCall,
  report: CallReport | null,
): Promise<void> {
  const solution = report === null ? null : redactValue(report.solution, ctx.redact);
  await transact(ctx, run.runId, (draft) => {
    if (draft.state.sealed !== null) return draft.done();
    if (attempt !== null)
      draft.write('command.finished', { step: run.step, attempt, failure: null, duration_ms: 0 });
    return report === null ? draft.done() : decideReport(draft, { ...report, solution });
  });
}

/** Why a call is held, with the literal way to make it. */
async function explainHold(
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
      line === null ? '' : HOLD.values(line),
      action === null ? '' : HOLD.goOn(action),
    ]
      .filter(Boolean)
      .join(' ');
  }
  const revision = await ctx.store.headBySlug(ctx.caller.space, protocol);
  if (revision === null) return `${head} ${HOLD.missing(protocol)}`;
  return `${head} ${HOLD['no-run'](stepUri(revision.chainId, 1))}`;
}

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
  const { chainId } = decision.state;
  const action = `${NEXT.advance(stepUri(chainId, pending.step))} and no solution; run_id ${runId}`;
  return HOLD.reported(pending.step, action);
}

/** The output as a ledger keeps it, so that a long one doesn't fill the record twice. */
function keptShell(solution: unknown): unknown {
  const { shell = {}, ...rest } = solution as { shell?: Record<string, unknown> };
  return { ...rest, shell: { ...shell, ...keptOutput('stdout', shell), ...keptOutput('stderr', shell) } };
}

/** What sends an agent on to its open run, and a mark that changes with the run's progress. Null for a sealed run. */
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
