import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { VERSION } from '../../base/package-root.ts';
import { endTree, killTreeNow, startTree } from '../commands/process-tree.ts';
import { readOutput, type StreamReader } from '../commands/watched.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { ServerStart } from './resolve-server.ts';
import type { RawToolResult, ToolCall, ToolFailureKind } from './tool-call.ts';

/** A started MCP server: the SDK's transport over its stdin and stdout, its stderr, and its end. */
export interface ServerProcess {
  transport: Transport;
  stderr: StreamReader;
  /** Resolves when it can no longer answer. */
  broken: Promise<Breakdown>;
  /** The first line of its output that wasn't a JSON-RPC message; null when every line was. */
  strayLine(): string | null;
  /** Ends it with everything that it started: stdin closed, then TERM, then KILL. Returns the pids that could not be ended. */
  end(hurry?: AbortSignal): Promise<number[]>;
}

/** Why a server can no longer answer: it ended or closed its output, or it wrote what cannot be read. */
interface Breakdown {
  failure: 'ended_early' | 'protocol_error';
  reason: string;
}

/** Some servers print a greeting on stdout, with fewer lines than this. */
const MAX_STRAY_LINES = 20;
const MAX_LINE_BYTES = 10 << 20;
const STDIN_CLOSED_MS = 500;
const GRACE_MS = 2000;
/** A process that has ended may have left its answer in the pipe. */
const LAST_WORDS_MS = 300;

/**
 * Starts a server in a separate process group. Unlike the SDK's stdio transport this ends the whole tree, and
 * gives up on a server that doesn't use the protocol. Rejects with the system's error when it can't be
 * started.
 */
export async function startServer(
  start: ServerStart,
  redactor: Pick<Redactor, 'redact' | 'stream'>,
): Promise<ServerProcess> {
  const { deserializeMessage, serializeMessage } = await import('@modelcontextprotocol/sdk/shared/stdio.js');
  const { command, args, env, cwd } = start;
  const tree = await startTree(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], ownGroup: true });
  const killNow = () => killTreeNow(tree);
  process.once('exit', killNow);
  const { child } = tree;
  const [stdin, stdout, errors] = [child.stdin!, child.stdout!, child.stderr!];
  const stderr = readOutput(errors, redactor, () => {});

  let reading = true;
  let giveUp: (failure: Breakdown['failure'], reason: string) => void = () => {};
  const broken = new Promise<Breakdown>((resolve) => {
    giveUp = (failure, reason) => {
      reading = false;
      resolve({ failure, reason });
    };
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => stdout.once('end', resolve));
  const endedHow = () => `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`;
  void exited.then(() => delay(LAST_WORDS_MS)).then(() => giveUp('ended_early', endedHow()));
  void closed.then(() => delay(2 * LAST_WORDS_MS)).then(() => giveUp('ended_early', 'it closed its output'));
  stdin.on('error', () => {}); // a server that no longer reads does not answer
  stdout.on('error', () => {});

  const strayLines: string[] = [];
  const transport: Transport = {
    async start() {
      eachLine(
        stdout,
        () => giveUp('protocol_error', 'it wrote a line of more than 10 MiB'),
        (line) => {
          if (!reading || line.trim() === '') return;
          let message: ReturnType<typeof deserializeMessage>;
          try {
            message = deserializeMessage(line);
          } catch {
            strayLines.push(line);
            if (strayLines.length > MAX_STRAY_LINES)
              giveUp('protocol_error', 'it wrote line after line that is not JSON-RPC');
            return;
          }
          transport.onmessage?.(message);
        },
      );
    },
    async send(message) {
      stdin.write(serializeMessage(message));
    },
    async close() {
      reading = false;
      transport.onclose?.();
    },
  };

  return {
    transport,
    stderr,
    broken,
    strayLine: () => strayLines[0] ?? null,
    async end(hurry) {
      reading = false;
      stdin.end();
      await Promise.race([exited, delay(hurry?.aborted ? 0 : STDIN_CLOSED_MS)]);
      const survivors = await endTree(tree, { graceMs: GRACE_MS, ...(hurry ? { hurry } : {}) });
      for (const stream of [stdin, stdout, errors]) stream.destroy();
      child.unref();
      process.removeListener('exit', killNow);
      return survivors;
    },
  };
}

/** Splits a stream into lines. `tooLong` is called for a line above the limit, which is left out. */
export function eachLine(
  stream: Readable,
  tooLong: () => void,
  onLine: (line: string) => void,
  limit = MAX_LINE_BYTES,
): void {
  let pieces: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      onLine(Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8'));
      pieces = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    pieces.push(rest);
    length += rest.length;
    if (length <= limit) return;
    pieces = [];
    length = 0;
    tooLong();
  });
}

export interface Answer {
  raw: RawToolResult;
  server: { name: string; version: string } | null;
}

export interface NoAnswer {
  failure: ToolFailureKind;
  message: string;
}

/**
 * Initializes an MCP server over its transport, checks that it has the tool, and calls it. Never rejects, and
 * never resolves when the server becomes silent: the caller sets the deadline.
 */
export async function converse(transport: Transport, call: ToolCall): Promise<Answer | NoAnswer> {
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
