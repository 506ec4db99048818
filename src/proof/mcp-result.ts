import { isJsonObject, own } from './json-equal.ts';

/**
 * How to read a tool's result (SPEC 1): its `structuredContent`, else its single text parsed as JSON, else
 * raw. A text is tried parsed first and then raw, so that the expected text `5` and the expected number 5
 * both work.
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

/** MCP's own mark of a failed call, which overrides any claim. */
export function isErrorResult(result: unknown): boolean {
  return isCallResult(result) && own(result, 'isError') === true;
}

/**
 * MCP's CallToolResult, with any additional keys of a revision or a server; not every object with `content`.
 */
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
