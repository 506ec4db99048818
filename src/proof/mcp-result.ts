import { isJsonObject, own } from './json-equal.ts';

/**
 * How a tool's result is to be read (SPEC 1): its `structuredContent`, else its single text parsed as JSON, else raw.
 * A text is offered parsed first and then as it is, so that the expected text `5` and the expected number 5 both work.
 */
export function resultForms(result: unknown): unknown[] {
  if (typeof result === 'string') return textForms(result);
  if (!isCallResult(result)) return [result];
  const structured = own(result, 'structuredContent');
  if (structured !== undefined && structured !== null) return [structured];
  const content = own(result, 'content');
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : null;
  if (!isJsonObject(only) || own(only, 'type') !== 'text') return [result];
  const text = own(only, 'text');
  return typeof text === 'string' ? textForms(text) : [result];
}

/** MCP's own mark of a call that failed, whatever else is claimed of it. */
export function isErrorResult(result: unknown): boolean {
  return isCallResult(result) && own(result, 'isError') === true;
}

/** MCP's CallToolResult, whatever further keys a revision or a server adds; not any object that has `content`. */
function isCallResult(result: unknown): result is Record<string, unknown> {
  if (!isJsonObject(result)) return false;
  const content = own(result, 'content');
  if (Array.isArray(content)) return content.every(isBlock);
  return content === undefined && isJsonObject(own(result, 'structuredContent'));
}

function isBlock(value: unknown): boolean {
  return isJsonObject(value) && typeof own(value, 'type') === 'string';
}

function textForms(text: string): unknown[] {
  try {
    return [JSON.parse(text), text];
  } catch {
    return [text];
  }
}
