import { CLIENT_CAPABILITIES_META_KEY, Server, type ServerContext } from '@modelcontextprotocol/server';
import { VERSION } from '../../base/version.ts';
import { stateCodec } from '../elicitation/request-state.ts';
import { getPrompt, listPrompts } from '../prompts/index.ts';
import { listResources, listTemplates } from '../resources/list.ts';
import { readResource } from '../resources/read.ts';
import { toolsFor } from '../tools/index.ts';
import { listing } from '../tools/listing.ts';
import { callTool } from './call-tool.ts';
import { complete } from './complete.ts';
import { instructions } from './instructions.ts';
import { sayNotFound } from './missing-resource.ts';
import { type Connection, contextFor, type ServerServices } from './services.ts';

/** The protocol face of one connection (over HTTP in the revision of 2026-07-28: of one request). */
export function createServer(services: ServerServices, connection: Connection): Server {
  const ctx = contextFor(services, connection);
  const { readOnly } = ctx;
  const codec = stateCodec(services.asks, {
    actor: connection.actor,
    timeoutMs: services.director.settings.timeoutMs,
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
  server.setRequestHandler('tools/list', () => ({ tools: listings(readOnly) }));
  server.setRequestHandler('tools/call', (request, extra) =>
    services.activity.track(
      callTool(
        services,
        { ctx, tools, codec, modern: connection.modern, declared: declared(extra) },
        request,
        extra,
      ),
    ),
  );
  server.setRequestHandler('resources/list', ({ params }) => listResources(ctx, params?.cursor));
  server.setRequestHandler('resources/templates/list', () => listTemplates());
  server.setRequestHandler('resources/read', ({ params }) => readResource(ctx, params.uri));
  server.setRequestHandler('prompts/list', () => listPrompts(ctx));
  server.setRequestHandler('prompts/get', ({ params }) =>
    getPrompt(ctx, params.name, params.arguments ?? {}),
  );
  server.setRequestHandler('completion/complete', (request) => complete(ctx, request));
  return server;
}

const made = new Map<boolean, ReturnType<typeof listing>[]>();
/** The schemas never change: they are made once for a process, not for each connection. */
function listings(readOnly: boolean): ReturnType<typeof listing>[] {
  const known = made.get(readOnly) ?? toolsFor({ readOnly }).map(listing);
  made.set(readOnly, known);
  return known;
}
