// The least client that there can be, so that what is measured is the server: JSON-RPC over pipes and over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

/** Starts a server on pipes; resolves when it has answered the handshake. */
export async function overPipes(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let id = 0;
  const send = (method, params) =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await send('initialize', INITIALIZE);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    call: async (name, args) => answerOf(await send('tools/call', { name, arguments: args })),
    request: async (method, params) => (await send(method, params)).result,
    rss: () => rssOf(child.pid),
    cpu: () => cpuOf(child.pid),
    close: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** Starts a server that prints its URL, and opens one session. */
export async function overHttp(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  let session;
  let id = 0;
  const send = (method, params) =>
    new Promise((resolve, reject) => {
      id += 1;
      const body = JSON.stringify({
        jsonrpc: '2.0',
        ...(method.startsWith('notifications/') ? {} : { id }),
        method,
        params,
      });
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      };
      const req = request(url, { method: 'POST', agent, headers }, (res) => {
        session ??= res.headers['mcp-session-id'];
        let text = '';
        res.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        res.on('end', () =>
          resolve(text === '' ? null : JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text)),
        );
      });
      req.on('error', reject);
      req.end(body);
    });
  await send('initialize', INITIALIZE);
  await send('notifications/initialized');
  return {
    call: async (name, args) => answerOf(await send('tools/call', { name, arguments: args })),
    rss: () => rssOf(child.pid),
    close: async () => {
      agent.destroy();
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function answerOf({ result, error }) {
  if (error !== undefined || result.isError) throw new Error(JSON.stringify(error ?? result.content));
  return result.structuredContent;
}

/** Resident memory in MiB, where /proc reports it. */
function rssOf(pid) {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line[1]) / 1024;
}

/** Processor time so far in ticks of 10 ms, where /proc reports it. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
