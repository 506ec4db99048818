import { randomInt, randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { isObject, jsonOf } from '../../base/json.ts';
import { locateJsonValue } from '../../formats/json/places.ts';
import {
  type BehindGateway,
  drained,
  eachLine,
  type LostRequest,
  MAX_MESSAGE_BYTES,
} from '../../host/mcp-client/server-process.ts';
import type { CallEnd } from '../../operations/gateway.ts';
import { faultOf, isId, isTaskRequest, isToolsCall, mayCall, type ToolsCall } from './faults.ts';

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

interface OpenCall<Demanded> {
  demanded: Demanded;
  hasEnded: boolean;
}

/**
 * A demanded call, or a request for the task that the server made of one. The server has it under an id of the gateway, so that no
 * other answer counts as its answer.
 */
interface OpenRequest<Demanded> {
  call: OpenCall<Demanded>;
  method: string;
  /** The id as the client wrote it. */
  id: string;
}

interface Passage<Demanded> {
  judge: GatewayJudge<Demanded>;
  /** By the text of the id that the server has. */
  open: Map<string, OpenRequest<Demanded>>;
  /** Demanded calls that the server continues as tasks, by the id of the task. */
  tasks: Map<string, OpenCall<Demanded>>;
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
  const [open, tasks]: [Passage<Demanded>['open'], Passage<Demanded>['tasks']] = [new Map(), new Map()];
  const write: Passage<Demanded>['write'] = (data) => (stdout.write(data) ? undefined : drained(stdout));
  const passage = { judge, open, tasks, write };
  const fromServer = server.receive(
    (line) => (mayAnswer(line, passage) ? passAnswer(line, passage) : write(line)),
    (lost) => passLoss(lost, passage),
  );
  const fromClient = eachLine(
    stdin,
    (line) => {
      const isOpen = open.size > 0 && line.includes('/cancelled');
      const isRead = mayCall(line) || isOpen || (tasks.size > 0 && line.includes('tasks/'));
      return isRead ? passRead(line, passage, server) : server.send(line);
    },
    MAX_MESSAGE_BYTES,
  );
  const leaves = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    stdout.on('error', () => resolve());
  });
  try {
    await Promise.race([fromServer, fromClient.then(() => server.close()), leaves]);
  } finally {
    const ends = Promise.allSettled([fromServer, fromClient]);
    await server.close(true);
    stdin.destroy();
    await ends;
    const left = [...[...open.values()].map(({ call }) => call), ...tasks.values()];
    for (const call of left) await finish(judge, call, stop.aborted ? 'aborted' : 'ended_early');
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

function mayAnswer(line: Buffer, { open, tasks }: Pick<Passage<unknown>, 'open' | 'tasks'>): boolean {
  if ([...open.keys()].some((id) => line.includes(id))) return true;
  return tasks.size > 0 && line.includes('notifications/tasks');
}

/** Passes a line of the client on, without what may not be sent. */
async function passRead<Demanded>(
  line: Buffer,
  passage: Passage<Demanded>,
  server: BehindGateway,
): Promise<void> {
  const text = line.toString('utf8');
  const message = jsonOf(text);
  const hasTasks = passage.tasks.size > 0;
  const isJudged = mayCall(line) || (hasTasks && line.includes('tasks/'));
  const error = isJudged ? faultOf(line, text, message, hasTasks) : null;
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
  { judge, open, tasks, write }: Passage<Demanded>,
): Promise<string | null> {
  /** The message with an id of the gateway, and its answer as that of the call. */
  const followed = (
    call: OpenCall<Demanded>,
    { id, method }: Pick<OpenRequest<Demanded>, 'method'> & { id: unknown },
  ) => {
    const own = typeof id === 'number' ? randomInt(2 ** 40, 2 ** 48) : `kairos:${randomUUID()}`;
    const key = JSON.stringify(own);
    open.set(key, { call, method, id: text.slice(...rangeOf(text, ['id'])) });
    return replaced(text, ['id'], key);
  };
  if (isObject(message) && message.method === 'notifications/cancelled') {
    const { requestId = null } = (message.params ?? {}) as { requestId?: unknown };
    const [id, request] = [...open].find(([, each]) => jsonOf(each.id) === requestId) ?? [];
    if (id === undefined || request === undefined) return text;
    if (request.method === 'tools/call') await finish(judge, request.call, 'aborted');
    return replaced(text, ['params', 'requestId'], id);
  }
  const task = isTaskRequest(message) ? tasks.get(message.params.taskId) : undefined;
  if (isTaskRequest(message) && task !== undefined) return followed(task, message);
  if (!isToolsCall(message)) return text;
  if (message.id === undefined) return null;
  const { name, arguments: args = {} } = message.params;
  const { refusal, demanded } = await judge.before({ tool: name, arguments: args });
  if (refusal !== null) {
    await write(`${JSON.stringify(refused(message, refusal))}\n`);
    return null;
  }
  return demanded === null ? text : followed({ demanded, hasEnded: false }, { ...message, id: message.id });
}

/** Passes a line of the server on. The answer to a demanded call is recorded first, and gets the client's id back. */
async function passAnswer<Demanded>(
  line: Buffer,
  { judge, open, tasks, write }: Passage<Demanded>,
): Promise<void> {
  const record = async (call: OpenCall<Demanded> | undefined, end: CallEnd | null) => {
    if (call === undefined || end === null) return;
    for (const [id, each] of tasks) if (each === call) tasks.delete(id);
    const isLate = call.hasEnded;
    call.hasEnded = true;
    await judge.finish(call.demanded, end, isLate);
  };
  const text = line.toString('utf8');
  const passed = await changed(text, jsonOf(text), async (own, each) => {
    if (!isObject(each)) return own;
    if (each.method === 'notifications/tasks' && isObject(each.params))
      await record(tasks.get(String(each.params.taskId)), taskEnd(each.params));
    if (each.method !== undefined) return own;
    const id = JSON.stringify(each.id);
    const request = open.get(id);
    if (request === undefined) return own;
    open.delete(id);
    const { call, method } = request;
    const task = method === 'tools/call' ? taskIdOf(each.result) : null;
    const hasState = method === 'tasks/get' || method === 'tasks/cancel';
    // An earlier answer may have ended the task.
    const isEnded = method !== 'tools/call' && ![...tasks.values()].includes(call);
    if (task === null)
      await record(isEnded ? undefined : call, hasState ? taskEnd(each.result) : endOf(each));
    else {
      await record(tasks.get(task), { failure: 'protocol_error' });
      tasks.set(task, call);
    }
    return replaced(own, ['id'], request.id);
  });
  await write(passed === text ? line : passed!);
}

/** The id of the task with which a server continues a call, in the revision of 2025-11-25 or in the extension; null without one. */
function taskIdOf(result: unknown): string | null {
  const { resultType, task, ...own } = isObject(result) ? result : {};
  const { taskId } = resultType === 'task' ? own : isObject(task) ? task : {};
  return typeof taskId === 'string' ? taskId : null;
}

/** The end of a task by its state. Null: it has not ended, or another answer has its result. */
function taskEnd(state: unknown): CallEnd | null {
  const { status, result, error } = isObject(state) ? state : {};
  if (status === 'cancelled') return { failure: 'aborted' };
  if (status === 'completed' && isObject(result)) return { result };
  return status === 'failed' && error !== undefined ? endOf({ error }) : null;
}

/** Returns an error to a request that the server will not answer. */
async function passLoss<Demanded>(
  { id, reason }: LostRequest,
  { judge, open, write }: Passage<Demanded>,
): Promise<void> {
  const key = JSON.stringify(id);
  const request = open.get(key);
  open.delete(key);
  if (request?.method === 'tools/call') await finish(judge, request.call, 'ended_early');
  const error = JSON.stringify({ code: -32000, message: reason });
  await write(`{"jsonrpc":"2.0","id":${request?.id ?? key},"error":${error}}\n`);
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
