import { randomUUID } from 'node:crypto';
import { callTool } from '../../host/mcp-client/call-tool.ts';
import { type FoundServer, findServer } from '../../host/mcp-client/find-server.ts';
import { serverDigest } from '../../host/mcp-client/resolve-server.ts';
import type { OperationContext } from '../../operations/context.ts';
import { claimStart, type NextInput, next, type PendingTool, record } from '../../operations/next.ts';
import { permittedSeconds, requirePermittedServer } from '../../operations/propose.ts';
import { pendingStation } from '../../run/state.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { MESSAGES } from '../../run/wording.ts';

/** Default time limit in seconds: only a permit can set another one. */
const TOOL_SECONDS = 120;

/** The server that a step names; null for a missing one. The definition of a project's server needs the user's trust. */
export async function trustedServer(
  ctx: OperationContext,
  name: string,
  { root, env }: { root: string; env: NodeJS.ProcessEnv },
): Promise<FoundServer | 'untrusted' | null> {
  const server = await findServer(name, { cwd: root, env }).catch(() => null);
  if (server === null || server.scope === 'user') return server;
  return (await ctx.trust.get(serverDigest(server.definition))) === null ? 'untrusted' : server;
}

/** The ordinary answer to a call without a solution, with the reason why the server of the step isn't started. */
export async function withoutServer(
  ctx: OperationContext,
  { uri }: NextInput,
  { runId, server }: PendingTool,
): Promise<RunFields> {
  const answer = await next(ctx, { uri, run_id: runId });
  const reason = MESSAGES.untrustedServer(server, ctx.commandLine(['resume', runId]));
  return { ...answer, message: [answer.message, reason].filter(Boolean).join(' ') };
}

/** Calls the tool of a step and submits what the server returned, as observed. */
export async function executeTool({
  ctx,
  input: { uri },
  pending,
  server,
  env,
  signal,
}: {
  ctx: OperationContext;
  input: NextInput;
  pending: PendingTool;
  server: FoundServer;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}): Promise<RunFields> {
  const { runId, step } = pending;
  // The nonce and the hash that the proof is bound to: what is shown now, before the call.
  const asked = await next(ctx, { uri, run_id: runId });
  const mcp = pending.gated ? asked.challenge?.mcp : pending.mcp;
  // There was no permit.
  if (mcp === undefined) return asked;
  const attempt = randomUUID();
  let seconds = TOOL_SECONDS;
  const isFree = await claimStart(ctx, pending, (state) => {
    const digest = serverDigest(server.definition);
    requirePermittedServer(state, { name: pending.server, digest, file: server.file });
    seconds = permittedSeconds(state, pendingStation(state)!, TOOL_SECONDS);
    return {
      step,
      attempt,
      cmd: `${pending.server}: ${mcp.tool_name}`,
      cwd: server.folder,
      env: Object.keys(server.definition.env),
      timeout_seconds: Math.ceil(seconds),
    };
  });
  if (!isFree) return next(ctx, { uri, run_id: runId });
  const args = mcp.arguments ?? {};
  const outcome = await callTool(server, {
    tool: mcp.tool_name,
    arguments: args,
    timeoutSeconds: seconds,
    env,
    signal,
  });
  const finished = {
    step,
    attempt,
    failure: outcome.ok ? null : outcome.failure,
    duration_ms: Math.round(outcome.duration_seconds * 1000),
  };
  if (!outcome.ok && outcome.failure === 'aborted') {
    await record(ctx, runId, 'command.finished', finished);
    return next(ctx, { uri, run_id: runId });
  }
  const { nonce, proof_hash } = asked.challenge ?? {};
  const success = outcome.ok && outcome.success;
  const solutionWith = (result: unknown) => ({
    type: 'mcp',
    nonce,
    proof_hash,
    mcp: { tool_name: mcp.tool_name, arguments: args, result, success },
  });
  return next(
    ctx,
    { uri, run_id: runId, solution: solutionWith(outcome.ok ? outcome.raw : null) },
    {
      assurance: 'observed',
      prelude: [{ kind: 'command.finished', data: finished }],
      given: solutionWith(outcome.ok ? outcome.given : null),
    },
  );
}
