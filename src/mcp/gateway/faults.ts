import { isUtf8 } from 'node:buffer';
import { isObject } from '../../base/json.ts';
import { hasDuplicateKeys } from '../../formats/json/parse.ts';

export interface ToolsCall {
  /** Undefined: a call that asks for no answer, which MCP doesn't know. */
  id?: string | number;
  method: 'tools/call';
  params: { name: string; arguments?: unknown; _meta?: Record<string, unknown> };
}

export function isToolsCall(value: unknown): value is ToolsCall {
  const { method, params } = (value ?? {}) as Partial<ToolsCall>;
  return method === 'tools/call' && typeof params?.name === 'string';
}

interface TaskRequest {
  id: string | number;
  method: 'tasks/get' | 'tasks/result' | 'tasks/cancel';
  params: { taskId: string };
}

const TASK_REQUEST = /\btasks\/(?:get|result|cancel)\b/;

/** A request whose answer may have the state or the result of a task. */
export function isTaskRequest(value: unknown): value is TaskRequest {
  const { id, method, params } = (value ?? {}) as Partial<TaskRequest>;
  return TASK_REQUEST.test(String(method)) && isId(id) && typeof params?.taskId === 'string';
}

const BACKSLASH = 92;

/** Whether a line may be a tool call. A name in JSON can have escapes, and some readers skip bytes that aren't UTF-8. */
export function mayCall(line: Buffer): boolean {
  return line.includes('tools/call') || line.includes(BACKSLASH) || !isUtf8(line);
}

export const isId = (value: unknown) => typeof value === 'string' || typeof value === 'number';

/** Why a line that a server could read as another tool call, or as the request of another task, isn't passed on. `hasTasks`: some are followed. */
export function faultOf(
  line: Buffer,
  text: string,
  message: unknown,
  hasTasks: boolean,
): { code: number; message: string } | null {
  const messages = [message].flat();
  // A server may still understand it: one that skips a byte order mark, or for which a line ends at a carriage return.
  if (typeof message !== 'object' || !isUtf8(line) || /\r(?!\n?$)/.test(text))
    return { code: -32700, message: 'Parse error' };
  const plain = text.replace(/\\u([\da-fA-F]{4})|\\\//g, (_, code = '2f') =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  if (!plain.includes('tools/call') && !(hasTasks && TASK_REQUEST.test(plain))) return null;
  if (hasDuplicateKeys(text, message) || messages.some((each) => isAmbiguous(each, hasTasks)))
    return { code: -32600, message: 'a key of the call is there twice, or in another spelling' };
  if (messages.some((each) => isToolsCall(each) && each.id !== undefined && !isId(each.id)))
    return { code: -32600, message: 'the id of the call must be a string or a number' };
  return null;
}

/** Some readers of JSON ignore case, such as that of Go, and some make a text of any value. */
function isAmbiguous(message: unknown, hasTasks: boolean): boolean {
  if (!isObject(message)) return true;
  const { method, params } = message;
  if (hasLookalike(message, ['jsonrpc', 'id', 'method', 'params'])) return true;
  if (typeof method !== 'string') return Array.isArray(method);
  if (hasTasks && TASK_REQUEST.test(method))
    return !isTaskRequest(message) || hasLookalike(message.params, ['taskId']);
  if (method !== 'tools/call') return false;
  return !isToolsCall(message) || (isObject(params) && hasLookalike(params, ['name', 'arguments', '_meta']));
}

function hasLookalike(value: object, names: readonly string[]): boolean {
  const folded = names.map((name) => name.toLowerCase());
  return Object.keys(value).some(
    (key) => !names.includes(key) && folded.includes(key.normalize('NFKC').toLowerCase()),
  );
}
