import { randomUUID } from 'node:crypto';
import { redactValue } from '../base/json.ts';
import {
  type AgentCall,
  type HoldMatch,
  isDemanded,
  judgeHolds,
  type SessionRun,
  type StepDemand,
} from '../gate/holds.ts';
import { toolResult } from '../host/mcp-client/call-tool.ts';
import { decideReport, startCall } from '../run/decide/reported-call.ts';
import { HOLD } from '../run/wording.ts';
import type { OperationContext } from './context.ts';
import { explainHold, heldRuns } from './hook.ts';
import { transact } from './run/transact.ts';

/** A call that the pending step of a run demands, from its start to its result. */
export interface DemandedCall {
  run: SessionRun;
  arguments: unknown;
  /** Of the start on record; null for a step without a proposal, whose call needs no permit. */
  attempt: string | null;
  /** Milliseconds since 1970. */
  begunAt: number;
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
  const demanded = {
    run,
    arguments: call.arguments,
    attempt: start === 'free' ? null : attempt,
    begunAt: ctx.clock(),
  };
  return { refusal: null, demanded };
}

/** Open runs of a user that are compared with a call. */
const MAX_OPEN = 50;

/** How a demanded call ended. A null result: the server wants input first. */
export type CallEnd =
  | { result: Record<string, unknown> | null }
  | { failure: 'aborted' | 'ended_early' | 'protocol_error' };

/** Puts the end of a demanded call on record. A call without an answer proves nothing, and its permit is used up. */
export async function finishCall(
  ctx: OperationContext,
  { run, attempt, begunAt, arguments: args }: DemandedCall,
  end: CallEnd,
  source: string,
): Promise<void> {
  const isLost = 'failure' in end;
  const result = isLost ? { isError: true } : end.result;
  const mcp = {
    tool_name: run.demand?.kind === 'tool' ? run.demand.tool : '',
    arguments: args,
    result: isLost || result === null ? null : toolResult(result),
    success: result !== null && result.isError !== true,
  };
  const solution = redactValue({ type: 'mcp', mcp }, ctx.redact);
  await transact(ctx, run.runId, (draft) => {
    if (draft.state.sealed !== null) return draft.done();
    const failure = isLost ? end.failure : null;
    const duration_ms = Math.max(0, ctx.clock() - begunAt);
    if (attempt !== null) draft.write('command.finished', { step: run.step, attempt, failure, duration_ms });
    if (result === null || (attempt === null && isLost)) return draft.done();
    return decideReport(draft, { type: 'mcp', via: 'gateway', assurance: 'observed', source, solution });
  });
}
