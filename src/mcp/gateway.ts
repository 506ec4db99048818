import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { isObject, jsonOf } from '../base/json.ts';
import { parseJson } from '../formats/json/parse.ts';
import { type BehindGateway, readLinesOf } from '../host/mcp-client/behind-gateway.ts';

/** Judges tool calls and records their results. */
export interface GatewayJudge<Demanded> {
  /** Before the call is sent on. */
  before(call: {
    tool: string;
    arguments: unknown;
  }): Promise<{ refusal: string | null; demanded: Demanded | null }>;
  /** After a demanded call; null for a result that is not the last one. */
  finish(demanded: Demanded, result: Record<string, unknown> | null): Promise<void>;
}

interface ClientSide {
  stdin: Readable;
  stdout: Writable;
}

/**
 * Connects an MCP client and a server. All messages are passed on byte for byte, in order; only `tools/call` is
 * read, and the answer to a call that is demanded. Resolves when either side has ended.
 */
export async function runGateway<Demanded>(
  { stdin, stdout }: ClientSide,
  server: BehindGateway,
  judge: GatewayJudge<Demanded>,
): Promise<void> {
  const open = new Map<string, Demanded>();
  const write = (line: string) => void stdout.write(`${line}\n`);
  const toServer = inOrder(async (line) => {
    const passed = await checked(line, judge, open, write);
    if (passed !== null) server.send(passed);
  });
  const toClient = inOrder(async (line) => {
    for (const [id, result] of resultsIn(line)) {
      const demanded = open.get(id);
      if (demanded === undefined) continue;
      open.delete(id);
      await judge.finish(demanded, result);
    }
    write(line);
  });
  server.receive((line) => {
    if (open.size === 0 && toClient.isIdle()) write(line);
    else toClient.add(line);
  });
  readLinesOf(stdin, (line) => {
    if (toServer.isIdle() && !MAY_CALL.test(line)) server.send(line);
    else toServer.add(line);
  });
  void finished(stdin, { writable: false })
    .catch(() => undefined)
    .then(() => toServer.settled())
    .then(() => server.close());
  await server.ended;
  await toClient.settled();
  stdin.destroy();
}

/** Work on lines, one after the other. */
function inOrder(work: (line: string) => Promise<void>) {
  let count = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    isIdle: () => count === 0,
    settled: () => last,
    add(line: string) {
      count += 1;
      last = last
        .then(() => work(line))
        .finally(() => {
          count -= 1;
        });
    },
  };
}

/** Text that may be a tool call; a name in JSON can have escapes. */
const MAY_CALL = /tools\/call|\\/;

interface ToolsCall {
  /** Undefined: a call that asks for no answer, which MCP doesn't know. */
  id?: string | number;
  method: 'tools/call';
  params: { name: string; arguments?: unknown; _meta?: Record<string, unknown> };
}

function isToolsCall(value: unknown): value is ToolsCall {
  const { method, params } = (value ?? {}) as Partial<ToolsCall>;
  return method === 'tools/call' && typeof params?.name === 'string';
}

/** The line to send on; null if nothing of it may be sent. */
async function checked<Demanded>(
  line: string,
  judge: GatewayJudge<Demanded>,
  open: Map<string, Demanded>,
  write: (line: string) => void,
): Promise<string | null> {
  const message = jsonOf(line);
  const messages: unknown[] = Array.isArray(message) ? message : [message];
  const error = faultOf(line, message, messages);
  if (error !== null) {
    const { id = null } = isObject(message) ? message : {};
    write(JSON.stringify({ jsonrpc: '2.0', id, error }));
    return null;
  }
  const passed: unknown[] = [];
  for (const each of messages) {
    if (!isToolsCall(each)) {
      passed.push(each);
      continue;
    }
    if (each.id === undefined) continue;
    const { name, arguments: args = {} } = each.params;
    const { refusal, demanded } = await judge.before({ tool: name, arguments: args });
    if (refusal !== null) write(JSON.stringify(refused(each, refusal)));
    else passed.push(each);
    if (demanded !== null) open.set(JSON.stringify(each.id), demanded);
  }
  if (passed.length === messages.length) return line;
  return passed.length === 0 ? null : JSON.stringify(passed);
}

/** Why a line that a server could read as another tool call than the gateway isn't passed on. */
function faultOf(
  line: string,
  message: unknown,
  messages: readonly unknown[],
): { code: number; message: string } | null {
  if (!MAY_CALL.test(line)) return null;
  // A server may still understand it: one that skips a byte order mark, for example.
  if (message === undefined) return { code: -32700, message: 'Parse error' };
  const plain = line.replace(/\\u([\da-fA-F]{4})|\\(.)/g, (_, code, letter) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(code, 16)) : letter,
  );
  if (!plain.includes('tools/call')) return null;
  if (parseJson(line)?.hasDuplicates !== false || messages.some(isAmbiguous))
    return { code: -32600, message: 'a key of the call is there twice, or in another spelling' };
  return null;
}

/** Some readers of JSON ignore case, such as that of Go, and some make a text of any value. */
function isAmbiguous(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { method, params } = message;
  if (hasLookalike(message, ['jsonrpc', 'id', 'method', 'params'])) return true;
  if (typeof method !== 'string') return Array.isArray(method);
  if (method !== 'tools/call') return false;
  return !isToolsCall(message) || (isObject(params) && hasLookalike(params, ['name', 'arguments', '_meta']));
}

function hasLookalike(value: object, names: readonly string[]): boolean {
  return Object.keys(value).some(
    (key) => !names.includes(key) && names.includes(key.normalize('NFKC').toLowerCase()),
  );
}

/** An ordinary result, as the revision of the call has it. */
function refused({ id, params: { _meta = {} } }: ToolsCall, text: string): object {
  const isModern = Object.keys(_meta).some((key) => key.endsWith('/protocolVersion'));
  const result = { content: [{ type: 'text', text }], isError: true };
  return { jsonrpc: '2.0', id, result: isModern ? { resultType: 'complete', ...result } : result };
}

/** The ids and results of answers; a protocol error is a failed result, and a result that is not the last one is null. */
function resultsIn(line: string): [string, Record<string, unknown> | null][] {
  const message = jsonOf(line);
  return (Array.isArray(message) ? message : [message]).flatMap(
    (each): [string, Record<string, unknown> | null][] => {
      if (!isObject(each) || each.id === undefined) return [];
      const id = JSON.stringify(each.id);
      const { result, error } = each as { result?: Record<string, unknown>; error?: { message?: unknown } };
      if (error !== undefined)
        return [[id, { isError: true, content: [{ type: 'text', text: String(error.message) }] }]];
      if (result === undefined) return [];
      const isLast = (result.resultType ?? 'complete') === 'complete' && result.task === undefined;
      return [[id, isLast ? result : null]];
    },
  );
}
