import { isUtf8 } from 'node:buffer';
import { randomInt, randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { isObject, jsonOf } from '../base/json.ts';
import { hasDuplicateKeys } from '../formats/json/parse.ts';
import { locateJsonValue } from '../formats/json/places.ts';
import {
  type BehindGateway,
  drained,
  eachLine,
  type LostRequest,
  MAX_MESSAGE_BYTES,
} from '../host/mcp-client/server-process.ts';
import type { CallEnd } from '../operations/gateway.ts';

/** Judges tool calls and records their results. */
export interface GatewayJudge<Demanded> {
  /** Before the call is sent on. */
  before(call: {
    tool: string;
    arguments: unknown;
  }): Promise<{ refusal: string | null; demanded: Demanded | null }>;
  /** After a demanded call. `isLate`: its end without an answer is on record already. */
  finish(demanded: Demanded, end: CallEnd, isLate: boolean): Promise<void>;
}

interface ClientSide {
  stdin: Readable;
  stdout: Writable;
  /** A signal to end. */
  stop: AbortSignal;
}

/** A demanded call. The server has it under an id of the gateway, so that no other answer counts as its answer. */
interface OpenCall<Demanded> {
  demanded: Demanded;
  /** The id as the client wrote it. */
  id: string;
  hasEnded: boolean;
}

interface Passage<Demanded> {
  judge: GatewayJudge<Demanded>;
  /** By the text of the id that the server has. */
  open: Map<string, OpenCall<Demanded>>;
  write: (data: Buffer | string) => void | Promise<void>;
}

/**
 * Connects an MCP client and a server. All messages are passed on byte for byte, in order; only `tools/call` is
 * read, and the answer to a call that is demanded. Resolves when either side has ended.
 */
export async function runGateway<Demanded>(
  { stdin, stdout, stop }: ClientSide,
  server: BehindGateway,
  judge: GatewayJudge<Demanded>,
): Promise<void> {
  const open: Passage<Demanded>['open'] = new Map();
  const write: Passage<Demanded>['write'] = (data) => (stdout.write(data) ? undefined : drained(stdout));
  const passage = { judge, open, write };
  const fromServer = server.receive(
    (line) => (mayAnswer(line, open) ? passAnswer(line, passage) : write(line)),
    (lost) => passLoss(lost, passage),
  );
  const fromClient = eachLine(
    stdin,
    (line) => {
      const isRead = mayCall(line) || (open.size > 0 && line.includes('/cancelled'));
      return isRead ? passRead(line, passage, server) : server.send(line);
    },
    MAX_MESSAGE_BYTES,
  );
  const left = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    stdout.on('error', () => resolve());
  });
  try {
    await Promise.race([fromServer, fromClient.then(() => server.close()), left]);
  } finally {
    const ends = Promise.allSettled([fromServer, fromClient]);
    await server.close(true);
    stdin.destroy();
    await ends;
    for (const call of open.values()) await finish(judge, call, stop.aborted ? 'aborted' : 'ended_early');
  }
}

async function finish<Demanded>(
  judge: GatewayJudge<Demanded>,
  call: OpenCall<Demanded>,
  failure: 'aborted' | 'ended_early',
): Promise<void> {
  if (call.hasEnded) return;
  call.hasEnded = true;
  await judge.finish(call.demanded, { failure }, false);
}

const BACKSLASH = 92;

/** Whether a line may be a tool call. A name in JSON can have escapes, and some readers skip bytes that aren't UTF-8. */
function mayCall(line: Buffer): boolean {
  return line.includes('tools/call') || line.includes(BACKSLASH) || !isUtf8(line);
}

function mayAnswer(line: Buffer, open: ReadonlyMap<string, unknown>): boolean {
  return open.size > 0 && [...open.keys()].some((id) => line.includes(id));
}

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

/** Passes a line of the client on, without what may not be sent. */
async function passRead<Demanded>(
  line: Buffer,
  passage: Passage<Demanded>,
  server: BehindGateway,
): Promise<void> {
  const text = line.toString('utf8');
  const message = jsonOf(text);
  const error = mayCall(line) ? faultOf(line, text, message) : null;
  if (error !== null) {
    const ids = [message].flat().flatMap((each) => (isObject(each) && isId(each.id) ? [each.id] : []));
    for (const id of ids.length === 0 ? [null] : ids)
      await passage.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
    return;
  }
  const passed = await changed(text, message, (own, each) => checked(own, each, passage));
  if (passed !== null) await server.send(passed === text ? line : Buffer.from(passed));
}

/** The text of a message to send on; null if it may not be sent. */
async function checked<Demanded>(
  text: string,
  message: unknown,
  { judge, open, write }: Passage<Demanded>,
): Promise<string | null> {
  if (isObject(message) && message.method === 'notifications/cancelled') {
    const { requestId = null } = (message.params ?? {}) as { requestId?: unknown };
    const [id, call] = [...open].find(([, each]) => jsonOf(each.id) === requestId) ?? [];
    if (id === undefined || call === undefined) return text;
    await finish(judge, call, 'aborted');
    return replaced(text, ['params', 'requestId'], id);
  }
  if (!isToolsCall(message)) return text;
  if (message.id === undefined) return null;
  const { name, arguments: args = {} } = message.params;
  const { refusal, demanded } = await judge.before({ tool: name, arguments: args });
  if (refusal !== null) {
    await write(`${JSON.stringify(refused(message, refusal))}\n`);
    return null;
  }
  if (demanded === null) return text;
  const own = typeof message.id === 'number' ? randomInt(2 ** 40, 2 ** 48) : `kairos:${randomUUID()}`;
  const id = JSON.stringify(own);
  open.set(id, { demanded, id: text.slice(...rangeOf(text, ['id'])), hasEnded: false });
  return replaced(text, ['id'], id);
}

/** Passes a line of the server on. The answer to a demanded call is recorded first, and gets the client's id back. */
async function passAnswer<Demanded>(line: Buffer, { judge, open, write }: Passage<Demanded>): Promise<void> {
  const text = line.toString('utf8');
  const passed = await changed(text, jsonOf(text), async (own, each) => {
    if (!isObject(each) || each.method !== undefined) return own;
    const id = JSON.stringify(each.id);
    const call = open.get(id);
    if (call === undefined) return own;
    open.delete(id);
    await judge.finish(call.demanded, endOf(each), call.hasEnded);
    return replaced(own, ['id'], call.id);
  });
  await write(passed === text ? line : passed!);
}

/** Returns an error to a request that the server will not answer. */
async function passLoss<Demanded>(
  { id, reason }: LostRequest,
  { judge, open, write }: Passage<Demanded>,
): Promise<void> {
  const key = JSON.stringify(id);
  const call = open.get(key);
  open.delete(key);
  if (call !== undefined) await finish(judge, call, 'ended_early');
  const error = JSON.stringify({ code: -32000, message: reason });
  await write(`{"jsonrpc":"2.0","id":${call?.id ?? key},"error":${error}}\n`);
}

/** A line with its messages changed; null: nothing of it is left. */
async function changed(
  text: string,
  message: unknown,
  change: (own: string, message: unknown) => Promise<string | null>,
): Promise<string | null> {
  if (!Array.isArray(message)) return change(text, message);
  const parts = message.map((_, at) => text.slice(...rangeOf(text, [at])));
  const passed: (string | null)[] = [];
  for (const [at, part] of parts.entries()) passed.push(await change(part, message[at]));
  if (passed.every((part, at) => part === parts[at])) return text;
  const left = passed.filter((part) => part !== null);
  return left.length === 0 ? null : `[${left.join(',')}]\n`;
}

function rangeOf(text: string, path: readonly (string | number)[]): [start: number, end: number] {
  return locateJsonValue(text, path)!.value;
}

function replaced(text: string, path: readonly string[], value: string): string {
  const [start, end] = rangeOf(text, path);
  return text.slice(0, start) + value + text.slice(end);
}

const isId = (value: unknown) => typeof value === 'string' || typeof value === 'number';

/** Why a line that a server could read as another tool call than the gateway isn't passed on. */
function faultOf(line: Buffer, text: string, message: unknown): { code: number; message: string } | null {
  const messages = [message].flat();
  // A server may still understand it: one that skips a byte order mark, or for which a line ends at a carriage return.
  if (typeof message !== 'object' || !isUtf8(line) || /\r(?!\n?$)/.test(text))
    return { code: -32700, message: 'Parse error' };
  const plain = text.replace(/\\u([\da-fA-F]{4})|\\\//g, (_, code = '2f') =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  if (!plain.includes('tools/call')) return null;
  if (hasDuplicateKeys(text, message) || messages.some(isAmbiguous))
    return { code: -32600, message: 'a key of the call is there twice, or in another spelling' };
  if (messages.some((each) => isToolsCall(each) && each.id !== undefined && !isId(each.id)))
    return { code: -32600, message: 'the id of the call must be a string or a number' };
  return null;
}

/** Some readers of JSON ignore case, such as that of Go, and some make a text of any value. */
function isAmbiguous(message: unknown): boolean {
  if (!isObject(message)) return true;
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

/** The end that an answer is; a protocol error is a failed result. */
function endOf({ result, error }: { result?: unknown; error?: unknown }): CallEnd {
  if (error !== undefined) {
    const text = String((error as { message?: unknown } | null)?.message);
    return { result: { isError: true, content: [{ type: 'text', text }] } };
  }
  const { resultType = 'complete', task } = isObject(result) ? result : {};
  if (!isObject(result) || task !== undefined || !['complete', 'input_required'].includes(String(resultType)))
    return { failure: 'protocol_error' };
  return { result: resultType === 'complete' ? result : null };
}
