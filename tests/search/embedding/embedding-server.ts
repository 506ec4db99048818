import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one request asked for. */
export interface Asked {
  headers: IncomingHttpHeaders;
  url: string;
  body: { model: string; input: string[] };
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** A text is sent as it is. */
  body?: unknown;
  /** The connection is cut instead. */
  reset?: boolean;
  /** No answer comes. */
  hang?: boolean;
}

export interface EmbeddingServer {
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

/** An HTTP server that speaks `/v1/embeddings`; each reply is used once, then texts get vectors of letter counts. */
export async function startEmbeddingServer(replies: Reply[] = []): Promise<EmbeddingServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as Asked['body'];
      asked.push({ headers: request.headers, url: request.url ?? '', body });
      const reply = replies.shift() ?? {};
      if (reply.hang) return;
      if (reply.reset) {
        request.socket.destroy();
        return;
      }
      const data = body.input.map((input, index) => ({
        object: 'embedding',
        index,
        embedding: letters(input),
      }));
      const sent = reply.body ?? { object: 'list', data: data.toReversed() };
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** How often each letter from a to z stands in a text: texts of the same words are near each other. */
export function letters(text: string): number[] {
  const counts = new Array<number>(26).fill(0);
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 97;
    if (at >= 0 && at < 26) counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
