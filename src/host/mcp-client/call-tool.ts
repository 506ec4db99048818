import type { Captured } from '../commands/watched.ts';
import { makeRedactor } from '../secrets/redact.ts';
import type { FoundServer } from './find-server.ts';
import { resolveServer } from './resolve-server.ts';
import { type Answer, converse, type NoAnswer, type ServerProcess, startServer } from './server-process.ts';
import {
  type Finished,
  redactJson,
  type ToolCall,
  type ToolFailure,
  type ToolOutcome,
  toolResult,
} from './tool-call.ts';

/**
 * Starts an MCP server, calls one of its tools and ends the server again with everything that it started. Comes back in any
 * case. Throws INVALID_INPUT only when the server's definition cannot be filled in (`resolveServer`).
 */
export async function callTool(server: FoundServer, call: ToolCall): Promise<ToolOutcome> {
  const start = resolveServer(server, call.env);
  const { redact, stream } = makeRedactor(call.env, start.env);
  const begun = performance.now();
  const finished = (stderr: Captured | null = null, survivors: number[] = []): Finished => ({
    duration_seconds: Math.round(performance.now() - begun) / 1000,
    stderr,
    survivors,
  });
  const failed = ({ failure, message }: NoAnswer, end: Finished): ToolFailure => ({
    ok: false,
    failure,
    message: redact(message),
    ...end,
  });

  if (isAborted(call)) return failed(ABORTED, finished());
  let running: ServerProcess;
  try {
    running = await startServer(start, { redact, stream });
  } catch (error) {
    const message = `${start.command} could not be started in ${start.cwd}: ${(error as Error).message}`;
    return failed({ failure: 'not_started', message }, finished());
  }

  const outcome = await talk(running, call);
  await running.transport.close();
  const survivors = await running.end(call.kill);
  const end = finished(running.stderr.result(), survivors);
  if ('failure' in outcome) return failed(outcome, end);
  const raw = redactJson(outcome.raw, redact);
  const is_error = raw.isError === true;
  const answer = {
    tool: call.tool,
    result: toolResult(raw),
    success: !is_error,
    is_error,
    raw,
    given: outcome.raw,
  };
  return { ok: true, ...answer, server: redactJson(outcome.server, redact), ...end };
}

const ABORTED: NoAnswer = { failure: 'aborted', message: 'it was aborted' };
const isAborted = (call: ToolCall) => Boolean(call.signal?.aborted || call.kill?.aborted);

/** The conversation, or what ends it from outside: the server's end, the timeout, an abort. */
function talk(running: ServerProcess, call: ToolCall): Promise<Answer | NoAnswer> {
  return new Promise((resolve) => {
    const settle = (outcome: Answer | NoAnswer) => {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
      call.kill?.removeEventListener('abort', abort);
      const stray = running.strayLine();
      const note =
        stray === null ? '' : `; it wrote to its stdout what is not JSON-RPC: ${stray.slice(0, 200)}`;
      resolve('failure' in outcome ? { ...outcome, message: outcome.message + note } : outcome);
    };
    const abort = () => settle(ABORTED);
    const timer = setTimeout(
      () => settle({ failure: 'timed_out', message: `it did not answer within ${call.timeoutSeconds} s` }),
      call.timeoutSeconds * 1000,
    );
    call.signal?.addEventListener('abort', abort);
    call.kill?.addEventListener('abort', abort);
    if (isAborted(call)) abort();
    void running.broken.then(({ failure, reason }) =>
      settle({ failure, message: `${reason} before it answered` }),
    );
    void converse(running.transport, call).then(settle);
  });
}
