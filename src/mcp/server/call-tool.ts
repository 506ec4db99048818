import { setTimeout as delay } from 'node:timers/promises';
import type { CallToolRequest, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../run/context.ts';
import type { Tool } from '../tools/tool.ts';
import { answerResult, errorResult } from './results.ts';
import type { ServerServices } from './services.ts';

/** A progress notification right before a result can be lost by clients; this lies between them, in milliseconds. */
const AFTER_PROGRESS_MS = 5;

/** Serves `tools/call`: errors of an operation are results that say so, an unknown tool is a protocol error. */
export async function callTool(
  services: ServerServices,
  ctx: OperationContext,
  tools: readonly Tool[],
  { params }: CallToolRequest,
  request: ServerContext,
): Promise<CallToolResult> {
  const tool = tools.find(({ name }) => name === params.name);
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
  }
  const begun = performance.now();
  const progress = progressOf(request);
  const call = { ctx, runner: services.runner, signal: request.mcpReq.signal, progress: progress.tell };
  const result = await tool
    .call(call, (params.arguments ?? {}) as never)
    .then(answerResult, (error: unknown) => {
      report(services, tool, error);
      return errorResult(error);
    });
  if (progress.told()) await delay(AFTER_PROGRESS_MS);
  count(services, tool, result, (performance.now() - begun) / 1000);
  return result;
}

/** Numbers the notifications of one call; silent when the client did not ask for any. */
function progressOf({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  let sent = 0;
  return {
    told: () => sent > 0,
    tell: async (message: string) => {
      if (progressToken === undefined || mcpReq.signal.aborted) return;
      sent += 1;
      const params = { progressToken, progress: sent, message };
      // A client that has gone away is told by the signal.
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

function report({ log }: ServerServices, tool: Tool, error: unknown): void {
  if (error instanceof KairosError) {
    log.debug('tool refused', { tool: tool.name, code: error.code });
    return;
  }
  log.error('tool failed', {
    tool: tool.name,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
}

function count({ metrics }: ServerServices, tool: Tool, result: CallToolResult, seconds: number): void {
  const code = (result.structuredContent as { error_code?: unknown } | undefined)?.error_code;
  const outcome = result.isError ? 'error' : typeof code === 'string' ? code : 'ok';
  metrics
    .counter('kairos_tool_calls_total', 'Tool calls by outcome: ok, a walk error code, or error.')
    .add({ tool: tool.name, outcome });
  metrics
    .histogram('kairos_tool_call_seconds', 'How long tool calls took.')
    .observe(seconds, { tool: tool.name });
}
