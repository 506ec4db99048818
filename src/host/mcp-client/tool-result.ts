/** What an MCP server answered to `tools/call`, as far as it matters here. */
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
  try {
    return JSON.parse(only.text);
  } catch {
    return only.text;
  }
}

/** Redacts every text and key in a JSON value. */
export function redactJson<T>(value: T, redact: (text: string) => string): T {
  const walk = (item: unknown): unknown => {
    if (typeof item === 'string') return redact(item);
    if (Array.isArray(item)) return item.map(walk);
    if (item === null || typeof item !== 'object') return item;
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [redact(key), walk(inner)]));
  };
  return walk(value) as T;
}
