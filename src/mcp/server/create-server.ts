import {
  CLIENT_CAPABILITIES_META_KEY,
  type CompleteRequest,
  type CompleteResult,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { VERSION } from '../../base/package-root.ts';
import type { OperationContext } from '../../operations/context.ts';
import { stepUuid } from '../../protocol/identity.ts';
import { stateCodec } from '../elicitation/open-asks.ts';
import { findPrompt, getPrompt, listPrompts } from '../prompts/index.ts';
import {
  listResources,
  listTemplates,
  RUN_TEMPLATE,
  readResource,
  STEP_TEMPLATE,
} from '../resources/resources.ts';
import { listing, toolsFor } from '../tools/index.ts';
import { serveToolCall } from './call-tool.ts';
import { type ClientConnection, contextFor, type ServerServices } from './services.ts';

/** The handlers of one connection (over HTTP in the revision of 2026-07-28: of one request). */
export function createServer(services: ServerServices, connection: ClientConnection): Server {
  const ctx = contextFor(services, connection);
  const { readOnly } = ctx;
  const codec = stateCodec(services.asks, {
    actor: connection.actor,
    timeoutMs: services.elicitation.settings.timeoutMs,
  });
  const server = new Server(
    { name: 'kairos', title: 'kairos', version: VERSION },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: instructions({ readOnly, execute: services.runner !== null }),
      requestState: { verify: codec.verify },
    },
  );
  const declared = ({ mcpReq }: ServerContext) =>
    connection.modern
      ? (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
      : server.getClientCapabilities();
  if (!connection.modern) sayNotFound(server);
  server.onerror = (error) => services.log.warn('protocol error', { error: error.message });
  const tools = toolsFor({ readOnly });
  server.setRequestHandler('tools/list', ({ params }) => {
    requireFirstPage(params);
    return { tools: listings({ readOnly, execute: services.runner !== null }) };
  });
  server.setRequestHandler('tools/call', (request, extra) =>
    services.activity.track(
      serveToolCall(
        services,
        { ctx, tools, codec, modern: connection.modern, declared: declared(extra) },
        request,
        extra,
      ),
    ),
  );
  server.setRequestHandler('resources/list', ({ params }) => listResources(ctx, cursorIn(params)));
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    requireFirstPage(params);
    return listTemplates();
  });
  server.setRequestHandler('resources/read', ({ params }) => readResource(ctx, params.uri));
  server.setRequestHandler('prompts/list', ({ params }) => listPrompts(ctx, cursorIn(params)));
  server.setRequestHandler('prompts/get', ({ params }) =>
    getPrompt(ctx, params.name, params.arguments ?? {}),
  );
  server.setRequestHandler('completion/complete', (request) => complete(ctx, request));
  return server;
}

/** An empty cursor is an absent one. */
function cursorIn(params: { cursor?: string | undefined } | undefined): string | undefined {
  return params?.cursor || undefined;
}

/** For a list of a single page, which gives out no cursor. */
function requireFirstPage(params: { cursor?: string | undefined } | undefined): void {
  if (cursorIn(params) !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
}

const made = new Map<string, ReturnType<typeof listing>[]>();
/** The schemas never change: they are made once for a process, not for each connection. */
function listings(options: { readOnly: boolean; execute: boolean }): ReturnType<typeof listing>[] {
  const key = JSON.stringify(options);
  const known = made.get(key) ?? toolsFor(options).map((tool) => listing(tool, options));
  made.set(key, known);
  return known;
}

/** What a client shows its model about this server; at most 2 KB. */
export function instructions({ readOnly, execute }: { readOnly: boolean; execute: boolean }): string {
  return [
    'kairos keeps protocols: procedures whose steps demand a proof of work. Run one like this:',
    '',
    '1. kairos_search with the task in several phrasings (a | b | c), which find more than one. Follow the next_action of one choice.',
    '2. kairos_begin with the uri of that choice. It returns the first step (current_step) and a run_id.',
    '3. kairos_next for every step: do what current_step describes, then submit a solution that matches challenge.',
    '4. kairos_attest when next_action names it: it seals the run.',
    '',
    'Rules:',
    '- Every answer has next_action: the literal next call, with its URI and run_id. Follow it while must_obey is true.',
    '- A solution has the type of challenge, and copies nonce and proof_hash from the newest challenge. Never compute a hash.',
    '- shell: run shell.cmd and report its real exit_code and output. mcp: call the tool and report its result. user_input: submit {type: "user_input"} alone and the server asks the human if it can; else show the prompt and use only their answer. sampling: call without a solution first, the server asks the model if it can; else answer sampling.prompt. comment: a genuine account, not a filler.',
    '- With error_code set nothing was proven: read message, then retry with the new challenge. After three failures must_obey is false and next_action lists the ways out.',
    '- Never invent a result. If a step cannot be done, report that with kairos_attest and outcome failure.',
    ...(execute
      ? [
          '- This server runs shell steps of trusted protocols itself: where challenge.description states this, call kairos_next without a solution instead of running the command.',
        ]
      : []),
    ...(readOnly ? ['- This server is read-only: protocols can be run, but not stored or changed.'] : []),
  ].join('\n');
}

/** The code for a missing resource in revisions before 2026-07-28; later revisions, and the SDK, use -32602. */
const NOT_FOUND = -32002;

/** Sends clients of the 2025 revisions the code of their revision. A handler can't set it in the SDK, so responses are changed as they leave. */
function sayNotFound(server: Server): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(renamed(message), options);
    return connect(transport);
  };
}

function renamed(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || !isMissing(message.error.data)) return message;
  return { ...message, error: { ...message.error, code: NOT_FOUND } };
}

/** The SDK's own mark of this error: a URI and nothing else. */
function isMissing(data: unknown): boolean {
  return (
    data !== null &&
    typeof data === 'object' &&
    Object.keys(data).join() === 'uri' &&
    typeof (data as { uri: unknown }).uri === 'string'
  );
}

/** The protocol's own limit. */
const MAX_VALUES = 100;

/** `completion/complete`: values for the variables of resource templates and the arguments of prompts. */
async function complete(ctx: OperationContext, { params }: CompleteRequest): Promise<CompleteResult> {
  const { ref, argument } = params;
  const values =
    ref.type === 'ref/prompt'
      ? await promptValues(ctx, ref.name, argument)
      : await templateValues(ctx, ref.uri, argument);
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

async function promptValues(
  ctx: OperationContext,
  name: string,
  argument: { name: string; value: string },
): Promise<string[]> {
  const prompt = await findPrompt(ctx, name);
  if (prompt === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
  return (await prompt.complete[argument.name]?.(ctx, argument.value)) ?? [];
}

async function templateValues(
  { store, caller }: OperationContext,
  uri: string,
  { name, value }: { name: string; value: string },
): Promise<string[]> {
  const typed = value.toLowerCase();
  if (uri === STEP_TEMPLATE && name === 'uuid') {
    const chains = await store.listChains([caller.space]);
    // A slug or title that is typed leads to the id too.
    return chains
      .map(({ chainId, slug, title }) => ({ uuid: stepUuid(chainId, 1), names: [slug, title.toLowerCase()] }))
      .filter(({ uuid, names }) => [uuid, ...names].some((text) => text.startsWith(typed)))
      .map(({ uuid }) => uuid);
  }
  if (uri === RUN_TEMPLATE && name === 'id') {
    const runs = await store.findRuns({ spaces: [caller.space], actor: caller.actor, limit: 1000 });
    return runs.map(({ runId }) => runId).filter((runId) => runId.startsWith(typed));
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown template: ${uri}`);
}
