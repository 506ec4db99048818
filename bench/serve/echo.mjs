// The floor: a server on the same SDK with a tool that returns its input, and one that writes it to disk first.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

function echo() {
  const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
  server.setRequestHandler('tools/list', () => ({
    tools: ['echo', 'commit'].map((name) => ({ name, inputSchema })),
  }));
  server.setRequestHandler('tools/call', ({ params }) => {
    if (params.name === 'commit') commit(params.arguments.text);
    return {
      content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
      structuredContent: params.arguments,
    };
  });
  return server;
}

let db;
let insert;
/** One row into a WAL file with synchronous=FULL: what an append costs at the least on this disk. */
function commit(text) {
  if (insert === undefined) {
    const { DatabaseSync } = createRequire(import.meta.url)(process.env.BENCH_SQLITE);
    db = new DatabaseSync(process.env.BENCH_DB);
    db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS t (x TEXT)');
    insert = db.prepare('INSERT INTO t VALUES (?)');
  }
  insert.run(text.padEnd(500));
}

if (process.argv[2] === 'http') {
  const sessions = new Map();
  const http = createServer(async (req, res) => {
    let transport = sessions.get(req.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await echo().connect(transport);
    }
    await transport.handleRequest(req, res);
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
} else serveStdio(echo);
