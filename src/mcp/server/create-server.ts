import { Server } from '@modelcontextprotocol/server';
import { VERSION } from '../../base/version.ts';
import { toolsFor } from '../tools/index.ts';
import { listing } from '../tools/listing.ts';
import { callTool } from './call-tool.ts';
import { instructions } from './instructions.ts';
import { type Connection, contextFor, type ServerServices } from './services.ts';

/** The protocol face of one connection (over HTTP in the revision of 2026-07-28: of one request). */
export function createServer(services: ServerServices, connection: Connection): Server {
  const ctx = contextFor(services, connection);
  const { readOnly } = ctx;
  const server = new Server(
    { name: 'kairos', title: 'kairos', version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: instructions({ readOnly, execute: services.runner !== null }),
      // Nothing is ever asked of the client, so any state that comes back was made by somebody else.
      requestState: {
        verify: () => {
          throw new Error('this server hands out no request state');
        },
      },
    },
  );
  server.onerror = (error) => services.log.warn('protocol error', { error: error.message });
  const tools = toolsFor({ readOnly });
  server.setRequestHandler('tools/list', () => ({ tools: listings(readOnly) }));
  server.setRequestHandler('tools/call', (request, extra) =>
    services.activity.track(callTool(services, ctx, tools, request, extra)),
  );
  return server;
}

const made = new Map<boolean, ReturnType<typeof listing>[]>();
/** The schemas never change: they are made once for a process, not for each connection. */
function listings(readOnly: boolean): ReturnType<typeof listing>[] {
  const known = made.get(readOnly) ?? toolsFor({ readOnly }).map(listing);
  made.set(readOnly, known);
  return known;
}
