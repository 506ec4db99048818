import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { Caller, OperationContext } from '../../operations/context.ts';
import { quotedInput } from '../../operations/input.ts';
import { createElicitation } from '../elicitation/elicit.ts';
import { resumption, type StatePayload, suspension } from '../elicitation/open-asks.ts';
import { driversFor } from '../elicitation/plan.ts';
import { type Capabilities, capabilitiesOf, clientRoots } from '../elicitation/settings.ts';
import { bytesOf, partOf } from '../resources/resources.ts';
import type { Tool } from '../tools/tool.ts';
import { readArguments } from './read-arguments.ts';
import type { ServerServices } from './services.ts';

/** Pause between a progress notification and the result, in milliseconds. Without it, clients can lose the notification. */
const AFTER_PROGRESS_MS = 5;

/** What the calls of one connection have in common. */
interface Calls {
  ctx: OperationContext;
  tools: readonly Tool[];
  codec: RequestStateCodec<StatePayload>;
  modern: boolean;
  /** The client's capabilities as it declared them. */
  declared: unknown;
}

/** Serves `tools/call`: errors of an operation are results, an unknown tool is a protocol error. */
export async function serveToolCall(
  services: ServerServices,
  { ctx: shared, tools, codec, modern, declared }: Calls,
  { params }: CallToolRequest,
  request: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = tools.find(({ name }) => name === params.name);
  if (tool === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool: ${quotedInput(params.name)}. tools/list names the tools.`,
    );
  }
  const begun = performance.now();
  const progress = progressOf(request);
  const can = capabilitiesOf(declared);
  const ctx = contextOfCall(services, shared, request, { can, modern });
  const bound = { asks: services.asks, codec, request, actor: ctx.caller.actor, params, modern };
  const elicitation = createElicitation(services.elicitation, {
    ctx,
    request,
    can,
    suspend: modern ? suspension(bound) : null,
    resumed: await resumption(bound),
    progress: progress.tell,
  });
  const { signal } = request.mcpReq;
  const result = await tool
    .call(
      { ctx, runner: services.runner, elicitation, signal, progress: progress.tell },
      readArguments(tool.input, params.arguments) as never,
    )
    .then(toResult, (error: unknown) => {
      report(services, tool, error);
      return errorResult(error, ctx);
    });
  if (progress.told()) await delay(AFTER_PROGRESS_MS);
  count(services, tool, result, (performance.now() - begun) / 1000);
  return result;
}

function toResult(answer: object): CallToolResult | InputRequiredResult {
  return isInputRequired(answer) ? answer : answerResult(answer);
}

function isInputRequired(answer: object): answer is InputRequiredResult {
  return (answer as { resultType?: unknown }).resultType === 'input_required';
}

/** Numbers the notifications of one call; silent when the client did not ask for any. */
function progressOf({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  let sent = 0;
  return {
    told: () => sent > 0,
    tell: async (message: string) => {
      if (progressToken === undefined || mcpReq.signal.aborted) return;
      sent += 1;
      const params = { progressToken, progress: sent, message };
      // The signal reports a client that has disconnected.
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

function report({ log }: ServerServices, tool: Tool, error: unknown): void {
  if (error instanceof KairosError) {
    log.debug('tool refused', { tool: tool.name, code: error.code });
    return;
  }
  log.error('tool failed', {
    tool: tool.name,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
}

function count(
  { metrics }: ServerServices,
  tool: Tool,
  result: CallToolResult | InputRequiredResult,
  seconds: number,
): void {
  metrics
    .counter(
      'kairos_tool_calls_total',
      'Tool calls by outcome: ok, a run error code, error, or input_required.',
    )
    .add({ tool: tool.name, outcome: outcomeOf(result) });
  metrics
    .histogram('kairos_tool_call_seconds', 'Duration of tool calls.')
    .observe(seconds, { tool: tool.name });
}

function outcomeOf(result: CallToolResult | InputRequiredResult): string {
  if (isInputRequired(result)) return 'input_required';
  const code = (result.structuredContent as { error_code?: unknown } | undefined)?.error_code;
  return result.isError ? 'error' : typeof code === 'string' ? code : 'ok';
}

/** An operation's answer: the same object twice, for programs and for models. */
function answerResult(answer: object): CallToolResult {
  // Clients cut long answers: the step's text comes last, so that the nonce and the next call are never cut off.
  const { current_step, ...rest } = fitting(answer);
  const text = JSON.stringify({ ...rest, current_step });
  // Undefined keys must be absent in both forms.
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

/** The most bytes of a step or document in an answer, which contains it twice, once escaped. */
const TEXT_ROOM = 400_000;

/** The same with the text of a very long step or document cut: the rest is a resource. */
function fitting(answer: object): { current_step?: unknown } {
  const {
    current_step: step,
    markdown_doc,
    uri,
  } = answer as {
    current_step?: { uri: string; content?: string } | null;
    markdown_doc?: string;
    uri?: string;
  };
  const isLong = (text: string | undefined): text is string =>
    text !== undefined && text.length > TEXT_ROOM / 6 && bytesOf(text) > TEXT_ROOM;
  if (isLong(step?.content))
    return { ...answer, current_step: { ...step, content: partOf(step.content, TEXT_ROOM, () => step.uri) } };
  if (isLong(markdown_doc) && uri !== undefined)
    return { ...answer, markdown_doc: partOf(markdown_doc, TEXT_ROOM, () => uri) } as object;
  return answer;
}

/** An error that ends an operation: its code first, then what and what to do. No structured content: it has no such shape. */
function errorResult(error: unknown, { redact }: OperationContext): CallToolResult {
  const known =
    error instanceof KairosError
      ? error
      : new KairosError('INTERNAL', 'something went wrong in the server that should not.', {
          hint: 'Its log on standard error has more.',
        });
  const hint = known.hint === undefined ? '' : `\n${known.hint}`;
  const text = redact(`${known.code}: ${bounded(known.message)}${hint}`);
  return { content: [{ type: 'text', text }], isError: true };
}

/** Characters of an error's message: it may quote what the caller sent. */
const MESSAGE_ROOM = 20_000;

function bounded(message: string): string {
  return message.length <= MESSAGE_ROOM ? message : `${message.slice(0, MESSAGE_ROOM)}…`;
}

/**
 * The context of one call: what its client can be asked for decides which assurance is possible, and which
 * folders.
 */
function contextOfCall(
  { elicitation, log }: ServerServices,
  ctx: OperationContext,
  request: ServerContext,
  { can, modern }: { can: Capabilities; modern: boolean },
): OperationContext {
  const maximumAssurance: Caller['maximumAssurance'] = {
    ...ctx.caller.maximumAssurance,
    ...(driversFor(elicitation.settings, can).length > 0 ? { user_input: 'client' as const } : {}),
    ...(can.sampling && elicitation.settings.samplingDriver === 'client'
      ? { sampling: 'client' as const }
      : {}),
  };
  const caller = { ...ctx.caller, maximumAssurance };
  // In the revision of 2026-07-28 a server cannot ask for roots without breaking off the call, and they are on their way out.
  if (!can.roots || modern) return { ...ctx, caller };
  const roots = clientRoots(request, log);
  const { policy } = ctx;
  return {
    ...ctx,
    caller,
    roots,
    // A policy is never chosen from a folder that the client works in.
    ...(policy === undefined ? {} : { policy: (run) => policy(run, async () => (await roots()) ?? []) }),
  };
}
