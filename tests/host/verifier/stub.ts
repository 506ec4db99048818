import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  path: string;
  authorization: string | undefined;
  body: { model: string; messages: { role: string; content: string }[]; [key: string]: unknown };
}

export interface Stub {
  url: string;
  requests: StubRequest[];
  close(): Promise<void>;
}

/** A local server that speaks as much of `POST /chat/completions` as a verifier needs. */
export async function startStub(
  answer: (request: StubRequest, response: ServerResponse) => void,
): Promise<Stub> {
  const requests: StubRequest[] = [];
  const server = createServer(async (message: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of message) text += String(chunk);
    const request = {
      path: message.url ?? '',
      authorization: message.headers.authorization,
      body: JSON.parse(text || '{}') as StubRequest['body'],
    };
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** What a model says, as the server wraps it. */
export function say(response: ServerResponse, content: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
}
