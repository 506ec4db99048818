import type { OperationContext } from '../../operations/context.ts';
import type { ElicitationServices } from '../elicitation/elicit.ts';
import type { OpenAsks } from '../elicitation/open-asks.ts';
import type { CommandRunner } from '../tools/tool.ts';
import type { Log, Metrics } from './metrics.ts';
import type { Activity } from './open-requests.ts';

/** What all connections of one server share. */
export interface ServerServices {
  /** Its caller is the server's own; every connection has another one. */
  ctx: OperationContext;
  /** Runs shell steps (`--execute`), or null. */
  runner: CommandRunner | null;
  elicitation: ElicitationServices;
  /** Questions that went out in results and wait for their answers. */
  asks: OpenAsks;
  log: Log;
  metrics: Metrics;
  activity: Activity;
}

/** Who is at the other end. */
export interface ClientConnection {
  /** The OS user on stdio, the bearer's name over HTTP. */
  actor: string;
  /** Connects calls without a run_id; null if each request is independent. */
  session: string | null;
  /** Uses the revision of 2026-07-28, in which servers ask in their results. */
  modern: boolean;
}

/** The context of a connection's operations. */
export function contextFor(
  { ctx, runner }: ServerServices,
  { actor, session }: Pick<ClientConnection, 'actor' | 'session'>,
): OperationContext {
  // A token names its bearer; any other connection is of the person who started the server.
  const identity = ctx.caller.actorOrigin === 'token' ? actor : ctx.caller.identity;
  return {
    ...ctx,
    caller: { ...ctx.caller, actor, session, ...(identity === undefined ? {} : { identity }) },
    ...(runner === null ? {} : { running: runner.running }),
  };
}
