import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  acceptedContent,
  createRequestStateCodec,
  type GetPromptResult,
  inputRequired,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { createHandler } from '../../../src/mcp/http/handle.ts';
import { createSessions } from '../../../src/mcp/http/sessions.ts';
import { createLog, createMetrics } from '../../../src/mcp/server/metrics.ts';
import { features, PNG } from './fixture-features.ts';

/**
 * The server that the conformance suite wants to meet, on the HTTP stack of the product: its guard, its sessions, its
 * reading of bodies, its way of telling the eras apart. Prints its URL.
 */
const codec = createRequestStateCodec({ key: randomBytes(32) });
const tools = features((payload) => codec.mint(payload));
const log = createLog(process.stderr, 'warn', { now: Date.now, redact: (text) => text });

function createFixture(): Server {
  const server = new Server(
    { name: 'kairos-conformance', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: codec.verify },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.entries(tools).map(([name, { inputSchema = { type: 'object' } }]) => ({
      name,
      description: `Fixture ${name}.`,
      inputSchema: inputSchema as { type: 'object' },
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const tool = tools[params.name];
    if (tool === undefined) throw new Error(`Unknown tool: ${params.name}`);
    return tool.call(ctx, params.arguments ?? {});
  });
  addResources(server);
  addPrompts(server);
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: {
      values: ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value)),
    },
  }));
  return server;
}

function addResources(server: Server): void {
  const fixed = {
    'test://static-text': {
      mimeType: 'text/plain',
      text: 'This is the content of the static text resource.',
    },
    'test://static-binary': { mimeType: 'image/png', blob: PNG },
    'test://watched-resource': { mimeType: 'text/plain', text: 'Watched.' },
  };
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(fixed).map(([uri, { mimeType }]) => ({ uri, name: uri.slice(7), mimeType })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    }
    if (!(uri in fixed)) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, ...fixed[uri as keyof typeof fixed] }] };
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function addPrompts(server: Server): void {
  const user = (content: GetPromptResult['messages'][number]['content']) => ({
    role: 'user' as const,
    content,
  });
  const said = (text: string) => user({ type: 'text', text });
  const argument = (name: string) => ({ name, description: `Argument ${name}.`, required: true });
  server.setRequestHandler('prompts/list', () => ({
    prompts: [
      { name: 'test_simple_prompt' },
      { name: 'test_prompt_with_arguments', arguments: [argument('arg1'), argument('arg2')] },
      { name: 'test_prompt_with_embedded_resource', arguments: [argument('resourceUri')] },
      { name: 'test_prompt_with_image' },
      { name: 'test_input_required_result_prompt' },
    ].map((prompt) => ({ ...prompt, description: `Fixture ${prompt.name}.` })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    switch (name) {
      case 'test_simple_prompt':
        return { messages: [said('This is a simple prompt for testing.')] };
      case 'test_prompt_with_arguments':
        return { messages: [said(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)] };
      case 'test_prompt_with_embedded_resource': {
        const text = 'Embedded resource content for testing.';
        const resource = { uri: String(args.resourceUri), mimeType: 'text/plain', text };
        return {
          messages: [
            user({ type: 'resource', resource }),
            said('Please process the embedded resource above.'),
          ],
        };
      }
      case 'test_prompt_with_image':
        return {
          messages: [
            user({ type: 'image', data: PNG, mimeType: 'image/png' }),
            said('Please analyze the image above.'),
          ],
        };
      default: {
        const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context');
        if (given !== undefined) return { messages: [said(`In the context of ${given.context}.`)] };
        const requestedSchema = {
          type: 'object' as const,
          properties: { context: { type: 'string' as const } },
          required: ['context'],
        };
        const message = 'What context should the prompt use?';
        return inputRequired({
          inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema }) },
        });
      }
    }
  });
}

const sessions = createSessions({ max: 64, idleMs: 600_000, now: Date.now, log, open: createFixture });
const handler = createHandler({
  hosts: ['localhost', '127.0.0.1'],
  origins: ['localhost', '127.0.0.1'],
  admit: async () => ({ actor: 'tests', space: 'default' }),
  space: 'default',
  resource: null,
  prefix: '',
  sessions,
  factory: createFixture,
  healthy: async () => true,
  log,
  metrics: createMetrics(),
});
const http = createHttpServer((req, res) => void handler.handle(req, res));
http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`);
});
