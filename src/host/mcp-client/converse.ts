import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { VERSION } from '../../base/version.ts';
import type { ToolCall, ToolFailureKind } from './tool-call.ts';
import type { RawToolResult } from './tool-result.ts';

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

/** A server that always names another page is not asked for ever. */
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
