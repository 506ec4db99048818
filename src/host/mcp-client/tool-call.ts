import { jsonOrText } from '../../base/json.ts';
import type { Captured } from '../commands/watched.ts';

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

/** There is no answer. */
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
