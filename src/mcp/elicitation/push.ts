import type { ServerContext } from '@modelcontextprotocol/server';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { AskRequest } from './ask.ts';

/** What came back from the client, unread. */
export type Reply =
  | { kind: 'result'; result: unknown }
  | { kind: 'declined' | 'timed_out' | 'failed' | 'invalid' | 'cancelled'; reason: string };

/** How a client reports that its user refused a sampling request (MCP, sampling, error handling). */
const USER_REJECTED = -1;

/**
 * Asks a client of the 2025 revisions with a server request and waits at most `timeoutMs`. Never throws:
 * every failure is a reply. No lock is kept while waiting. When the call is cancelled, the client is informed
 * that the question is cancelled too.
 */
export async function push(
  { mcpReq }: ServerContext,
  { method, params }: AskRequest,
  timeoutMs: number,
): Promise<Reply> {
  const { signal } = mcpReq;
  try {
    const request = { method, params: { ...params } as Record<string, unknown> };
    const result = await mcpReq.send(request, { signal, timeout: timeoutMs });
    return { kind: 'result', result };
  } catch (error) {
    return signal.aborted ? { kind: 'cancelled', reason: 'the call was cancelled' } : replyOf(error);
  }
}

function replyOf(error: unknown): Reply {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof SdkError) {
    const { code } = error;
    if (code === SdkErrorCode.RequestTimeout) return { kind: 'timed_out', reason };
    if (code === SdkErrorCode.ConnectionClosed) return { kind: 'cancelled', reason };
    return { kind: code === SdkErrorCode.InvalidResult ? 'invalid' : 'failed', reason };
  }
  const rejected = error instanceof ProtocolError && (error.code as number) === USER_REJECTED;
  return { kind: rejected ? 'declined' : 'failed', reason };
}
