import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { jsonOrText, redactValue } from '../../base/json.ts';
import { VERSION } from '../../base/package-root.ts';
import type { Captured } from '../commands/watched.ts';
import { makeRedactor } from '../secrets/redact.ts';
import type { FoundServer } from './find-server.ts';
import { resolveServer } from './resolve-server.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** A call of one tool, as asked for. */
export interface ToolCall {
  tool: string;
  arguments: Record<string, unknown>;
  /** From the start of the server to its answer. */
  timeoutSeconds: number;
  /** The user's environment. The server gets its allowlisted part. Its secrets are redacted from every response. */
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Aborted as well: the server is killed without grace. */
  kill?: AbortSignal;
}

export type ToolOutcome = ToolAnswer | ToolFailure;

export interface Finished {
  duration_seconds: number;
  /** What the server wrote on stderr, redacted; null when it was never started. */
  stderr: Captured | null;
  /** Processes of the server that could not be ended, by pid. */
  survivors: number[];
}

/** The server answered. Everything that came from it is redacted, except `given`. */
interface ToolAnswer extends Finished {
  ok: true;
  tool: string;
  /** As SPEC 1 reads it: structured content, else the single text (parsed when it is JSON), else the content. */
  result: unknown;
  /** False when the tool itself reported an error. */
  success: boolean;
  is_error: boolean;
  /** The whole CallToolResult. */
  raw: RawToolResult;
  /** The same, not redacted: values are captured from it, and nothing of it is written or shown. */
  given: RawToolResult;
  server: { name: string; version: string } | null;
}

export type ToolFailureKind =
  /** The command could not be started. */
  | 'not_started'
  /** The server ended, or closed its output, before it answered. */
  | 'ended_early'
  | 'timed_out'
  | 'aborted'
  | 'no_such_tool'
  /** It returned a protocol error or an invalid response. */
  | 'protocol_error';

/** A call that got no result. */
export interface ToolFailure extends Finished {
  ok: false;
  failure: ToolFailureKind;
  message: string;
}

/** The parts of a `tools/call` response that kairos uses. */
export interface RawToolResult {
  content?: unknown[];
  structuredContent?: unknown;
  isError?: boolean;
  [key: string]: unknown;
}

/**
 * The result of a tool call (SPEC 1): `structuredContent`, else the single text, parsed as JSON when it is JSON, else
 * the raw content.
 */
export function toolResult(raw: RawToolResult): unknown {
  if (raw.structuredContent !== undefined) return raw.structuredContent;
  const content = raw.content ?? [];
  const only = content.length === 1 ? (content[0] as { type?: unknown; text?: unknown } | null) : null;
  if (only?.type !== 'text' || typeof only.text !== 'string') return content;
  return jsonOrText(only.text);
}

/**
 * Starts an MCP server, calls one of its tools and ends the server again with everything that it started. Always returns. Throws INVALID_INPUT only when the server's definition cannot be filled in (`resolveServer`).
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
  const raw = redactValue(outcome.raw, redact) as RawToolResult;
  const is_error = raw.isError === true;
  const answer = {
    tool: call.tool,
    result: toolResult(raw),
    success: !is_error,
    is_error,
    raw,
    given: outcome.raw,
  };
  return { ok: true, ...answer, server: redactValue(outcome.server, redact) as Answer['server'], ...end };
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

interface Answer {
  raw: RawToolResult;
  server: { name: string; version: string } | null;
}

interface NoAnswer {
  failure: ToolFailureKind;
  message: string;
}

/**
 * Initializes an MCP server over its transport, checks that it has the tool, and calls it. Never rejects, and
 * never resolves when the server becomes silent: the caller sets the deadline.
 */
async function converse(transport: Transport, call: ToolCall): Promise<Answer | NoAnswer> {
  const options = { timeout: call.timeoutSeconds * 1000 + 60_000 };
  try {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const client = new Client({ name: 'kairos', version: VERSION });
    await client.connect(transport, options);
    const others = await toolsButNot(client, call.tool, options);
    if (others !== null) return { failure: 'no_such_tool', message: noSuchTool(call.tool, others) };
    const raw = await client.callTool({ name: call.tool, arguments: call.arguments }, undefined, options);
    const version = client.getServerVersion();
    return {
      raw: raw as RawToolResult,
      server: version ? { name: version.name, version: version.version } : null,
    };
  } catch (error) {
    return { failure: 'protocol_error', message: reasonOf(error) };
  }
}

/** A server that always names another page is not asked without end. */
const MAX_PAGES = 100;

/** Null as soon as the tool is listed; else the names of all tools that are. */
async function toolsButNot(
  client: Client,
  tool: string,
  options: { timeout: number },
): Promise<string[] | null> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor }, options);
    if (tools.some(({ name }) => name === tool)) return null;
    names.push(...tools.map(({ name }) => name));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return names;
}

function noSuchTool(tool: string, others: readonly string[]): string {
  const known = others.length === 0 ? 'it has none' : `it has ${others.slice(0, 20).join(', ')}`;
  return `it has no tool ${JSON.stringify(tool)}; ${known}${others.length > 20 ? ' and more' : ''}`;
}

/** Responses that break the schema give long reports: the first problem is enough. */
function reasonOf(error: unknown): string {
  const { message, issues } = error as Error & { issues?: { path: PropertyKey[]; message: string }[] };
  const [first] = issues ?? [];
  if (first === undefined) return `it answered with an error: ${message}`;
  return `its response is invalid: ${first.path.map(String).join('.')}: ${first.message}`;
}
