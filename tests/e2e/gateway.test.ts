import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { writePolicy } from '../gate/support/cli.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';

let home: CliHome;
let stop: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'merge.md'), MERGE);
  writeFileSync(join(home.work, 'server.mjs'), SERVER);
  expect(await kairos(home, ['mint', 'merge.md'], { prepares: true })).toMatchObject({ code: 0, stderr: '' });
});
afterEach(async () => {
  await Promise.all(stop.map((end) => end()));
  stop = [];
  home.remove();
});

const MERGE = `---
slug: merge
---
# Merge a change

## Natural Language Triggers
- "merge the change"

## Count the checks

\`\`\`json
{"proof_of_work": {"type": "mcp", "mcp": {"server": "git", "tool_name": "count", "arguments": {"of": "checks"}, "expected_result": 3}, "assurance": "observed"}}
\`\`\`

## Merge it

\`\`\`json
{"proof_of_work": {"type": "mcp", "mcp": {"server": "git", "tool_name": "merge", "arguments": {"id": 7}}, "assurance": "observed"}}
\`\`\`
`;

/** A server of lines that answers tools/call with its arguments, sends a request back for "ask", and repeats anything else. */
const SERVER = `
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') return say({ jsonrpc: '2.0', method: 'saw/cancelled', params });
  if (method === 'tools/call') {
    const { mode } = existsSync('mode.json') ? JSON.parse(readFileSync('mode.json', 'utf8')) : {};
    if (mode === 'dies') process.exit(3);
    if (mode === 'silent') return say({ jsonrpc: '2.0', method: 'saw/call', params: { id } });
    if (mode === 'input' && params.inputResponses === undefined)
      return say({ jsonrpc: '2.0', id, result: { resultType: 'input_required', requestState: 's', inputRequests: {} } });
    if (mode === 'task')
      return say({ jsonrpc: '2.0', id, result: { resultType: 'task', taskId: 't', status: 'working' } });
    if (params.name === 'fails') return say({ jsonrpc: '2.0', id, error: { code: -32000, message: 'broken' } });
    const text = params.name === 'count' ? '3' : 'done';
    say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    return say({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], _meta: { calls: params.name } } });
  }
  if (method === 'tasks/get') {
    const result = { content: [{ type: 'text', text: 'done' }] };
    return say({ jsonrpc: '2.0', id, result: { resultType: 'complete', taskId: 't', status: 'completed', result } });
  }
  if (method === 'ask') say({ jsonrpc: '2.0', id: 's1', method: 'sampling/createMessage', params: {} });
  process.stdout.write(line + '\\n');
});
`;

/** A server of the SDK in the revision of 2025-11-25, whose tool runs as a task. */
const TASK_SERVER = `
import { InMemoryTaskStore } from '${import.meta.resolve('@modelcontextprotocol/sdk/experimental/tasks')}';
import { McpServer } from '${import.meta.resolve('@modelcontextprotocol/sdk/server/mcp.js')}';
import { StdioServerTransport } from '${import.meta.resolve('@modelcontextprotocol/sdk/server/stdio.js')}';
import { z } from '${import.meta.resolve('zod')}';
const capabilities = { tasks: { requests: { tools: { call: {} } } } };
const server = new McpServer({ name: 'git', version: '1' }, { capabilities, taskStore: new InMemoryTaskStore() });
server.experimental.tasks.registerToolTask('count', { inputSchema: { of: z.string() }, execution: { taskSupport: 'required' } }, {
  async createTask(args, { taskStore }) {
    const task = await taskStore.createTask({ ttl: 60000 });
    const result = { content: [{ type: 'text', text: '3' }] };
    setImmediate(() => taskStore.storeTaskResult(task.taskId, 'completed', result));
    return { task };
  },
  getTask: (args, { taskStore, taskId }) => taskStore.getTask(taskId),
  getTaskResult: (args, { taskStore, taskId }) => taskStore.getTaskResult(taskId),
});
await server.connect(new StdioServerTransport());
`;

type Json = Record<string, unknown>;

/** A gateway in process; `call` sends one message and waits for the line that satisfies the test. */
function gateway(...args: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { ...home.env, KAIROS_MACHINE_DIR: join(home.root, 'machine') };
  const accountHome = () => home.home;
  const io = {
    ...{ stdin, stdout, stderr, env, cwd: home.work, now: () => Date.now() },
    ...{ accountHome, signals: process },
  };
  const seen: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  stdout.on('data', (chunk) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    seen.push(...parts);
    for (const wake of waiting) wake();
    waiting.clear();
  });
  const ended = main(['gateway', ...args], io as never);
  stop.push(() => {
    stdin.end();
    return ended;
  });
  const until = async (fits: (message: Json) => boolean): Promise<Json> => {
    for (;;) {
      const found = seen.map((line) => JSON.parse(line) as Json).find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    }
  };
  let next = 0;
  return {
    seen,
    ended,
    until,
    raw: (line: string) => void stdin.write(`${line}\n`),
    async call(name: string, given: Json = {}, meta?: Json): Promise<Json> {
      next += 1;
      const id = next;
      const params = { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) };
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
      const answer = await until((message) => message.id === id && message.method === undefined);
      return (answer.result ?? answer.error) as Json;
    },
  };
}

const local = () => gateway('--name', 'git', '--', process.execPath, join(home.work, 'server.mjs'));
const hold = (list: string) => {
  writeFileSync(join(home.config, 'hold.yaml'), `holds:\n${list}`);
  chmodSync(join(home.config, 'hold.yaml'), 0o600);
};
const HELD = '  - {match: {tool: git/merge}, protocol: merge}\n';
const begin = async () => {
  const answer = JSON.parse((await kairos(home, ['begin', 'merge', '--json'])).stdout);
  return {
    uri: answer.current_step.uri as string,
    runId: answer.run_id as string,
    challenge: answer.challenge as Json,
  };
};
const advance = async (uri: string, runId: string): Promise<Json> =>
  JSON.parse((await kairos(home, ['next', uri, '--run', runId, '--json'])).stdout);

describe('kairos gateway', () => {
  it('passes every message on unchanged, in both directions', async () => {
    const { raw, until, seen } = local();
    const odd =
      '{"jsonrpc":"2.0",  "id":"x","method":"ask", "params":{"big":12345678901234567890, "text":"\\u00e4 😀"}}';
    raw(odd);
    await until(({ id }) => id === 'x');
    expect(seen).toContain(odd);
    expect(await until(({ id }) => id === 's1')).toMatchObject({ method: 'sampling/createMessage' });
    const answer = '{"jsonrpc":"2.0","id":"s1","result":{"role":"assistant"}}';
    raw(answer);
    await until(({ id, result }) => id === 's1' && result !== undefined);
    expect(seen).toContain(answer);
  });

  it('refuses a held tool with the way to begin, as an ordinary result', async () => {
    hold(HELD);
    const { call } = local();
    const refusal = await call('merge', { id: 7 });
    expect(refusal).toEqual({ isError: true, content: [{ type: 'text', text: expect.any(String) }] });
    expect(JSON.stringify(refusal)).toMatch(
      /git\/merge is held by protocol merge\. .* call kairos_begin with kairos:/,
    );
    const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect(await call('merge', { id: 7 }, modern)).toMatchObject({ resultType: 'complete', isError: true });
    expect(await call('count', { of: 'x' })).toMatchObject({ _meta: { calls: 'count' } });
  });

  it('lets a demanded call through, once its step is pending, and proves the step by it', async () => {
    hold(HELD);
    const { call } = local();
    const { uri, runId } = await begin();
    expect(await call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(await call('count', { of: 'checks' })).toMatchObject({ _meta: { calls: 'count' } });
    const second = await advance(uri, runId);
    const merging = (second.current_step as Json).uri as string;
    expect(await call('merge', { id: 8 })).toMatchObject({ isError: true });
    expect(await call('merge', { id: 7 })).toMatchObject({ _meta: { calls: 'merge' } });
    expect(await advance(merging, runId)).toMatchObject({ protocol_status: 'completed' });
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    const proofs = stdout.split('\n').filter((line) => line.includes('"proof.accepted"'));
    expect(proofs.map((line) => JSON.parse(line).data)).toMatchObject([
      { assurance: 'observed', via: 'gateway', mcp: { result_json: '3', success: true } },
      { assurance: 'observed', via: 'gateway' },
    ]);
  });

  describe('that is not the server of its name in the files of the clients', () => {
    const SELF = () => [process.execPath, join(home.work, 'server.mjs')];
    const define = (...[command, ...args]: string[]) =>
      writeFileSync(join(home.work, '.mcp.json'), JSON.stringify({ mcpServers: { git: { command, args } } }));

    it.each<[string, () => string[], boolean]>([
      ['the same', SELF, true],
      ['the same behind a gateway', () => ['kairos', 'gateway', '--name', 'git', '--', ...SELF()], true],
      ['the same with a variable', () => [process.execPath, '${workspaceFolder}/server.mjs'], true],
      ['another', () => [process.execPath, 'other.mjs'], false],
      [
        'another behind a gateway',
        () => ['kairos', 'gateway', '--name', 'git', '--', 'sudo', ...SELF()],
        false,
      ],
      ['one over HTTP behind a gateway', () => ['kairos', 'gateway', '--url', 'http://x/'], false],
    ])('proves no step and opens no held tool: %s', async (_title, words, isSame) => {
      hold('  - {match: {tool: git/count}, protocol: merge}\n');
      const { uri, runId } = await begin();
      const { call } = local();
      define(...words());
      const answer = await call('count', { of: 'checks' });
      expect(JSON.stringify(answer).includes('This gateway starts another server than')).toBe(!isSame);
      expect(await advance(uri, runId)).toMatchObject({ protocol_status: isSame ? 'continue' : 'blocked' });
      hold('');
      expect(await call('count', { of: 'checks' })).toMatchObject({ _meta: { calls: 'count' } });
      if (!isSame) expect(await advance(uri, runId)).toMatchObject({ error_code: 'MISSING_PROOF' });
    });
  });

  it.each<[string, (line: string) => string]>([
    ['without an id', (line) => line.replace('"id":"x",', '')],
    ['behind a byte order mark', (line) => `\ufeff${line}`],
    ['with an escape in its method', (line) => line.replace('tools/call', 'tools\\/call')],
    ['with an escape in its name', (line) => line.replace('merge', 'm\\u0065rge')],
    ['with a comma at its end', (line) => line.replace(/\}$/, ',}')],
  ])('passes no held call on %s', async (_, spoil) => {
    hold('  - {match: {tool: git/merge}, protocol: merge}\n');
    const { call, raw, seen } = local();
    raw(spoil('{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"merge","arguments":{}}}'));
    expect(await call('count', { of: 'x' })).toMatchObject({ _meta: { calls: 'count' } });
    expect(seen.join()).not.toContain('"calls":"merge"');
    expect(seen.join()).not.toContain('{"name":"m');
  });

  it.each([
    [3, false],
    [4, true],
    [{ content: [{ type: 'text', text: '4' }] }, true],
  ])('refuses a claim that disagrees with what was observed: %j, success %j', async (result, success) => {
    const { uri, runId, challenge } = await begin();
    const { call } = local();
    await call('count', { of: 'checks' });
    const { nonce, proof_hash } = challenge;
    const told = { tool_name: 'count', arguments: { of: 'checks' }, result, success };
    const claim = JSON.stringify({ type: 'mcp', nonce, proof_hash, mcp: told });
    const args = ['next', uri, '--run', runId, '--json', '--solution', claim];
    expect(JSON.parse((await kairos(home, args)).stdout)).toMatchObject({ error_code: 'CLAIM_CONTRADICTED' });
  });

  it('proves a step by a call that a server of the SDK continues as a task', async () => {
    writeFileSync(join(home.work, 'server.mjs'), TASK_SERVER);
    const { uri, runId } = await begin();
    const { raw, until } = local();
    const ask = async (id: string, method: string, params: Json) => {
      raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return (await until((message) => message.id === id && message.method === undefined)).result as Json;
    };
    const clientInfo = { name: 'client', version: '1' };
    await ask('i', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    raw('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const made = await ask('c', 'tools/call', { name: 'count', arguments: { of: 'checks' }, task: {} });
    const { taskId } = made.task as Json;
    expect(await ask('r', 'tasks/result', { taskId })).toMatchObject({ content: [{ text: '3' }] });
    expect(await advance(uri, runId)).toMatchObject({ protocol_status: 'continue' });
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    const proof = stdout.split('\n').find((line) => line.includes('"proof.accepted"'));
    expect(JSON.parse(proof!).data).toMatchObject({ assurance: 'observed', via: 'gateway' });
  });

  it('fails closed for what is held and open for the rest', async () => {
    hold(HELD);
    const { call } = local();
    writeFileSync(join(home.config, 'hold.yaml'), 'holds:\n  - {match: {tool: git/merge\n');
    expect(await call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(await call('count', { of: 'x' })).toMatchObject({ _meta: { calls: 'count' } });
  });

  it('passes no call on that a server could read as another one', async () => {
    hold(HELD);
    const { call, raw, until, seen } = local();
    const messageOf = (members: string) => `{"jsonrpc":"2.0",${members}}`;
    const lines = [
      messageOf('"id":"a","method":"tools/call","method":"ping","params":{"name":"merge"}'),
      messageOf('"id":"b","method":"ping","method":"tools\\/call","params":{"name":"count","name":"merge"}'),
      messageOf('"id":"c","method":"ping","Method":"tools/call","params":{"name":"merge"}'),
      messageOf('"id":"d","method":"tools/call","params":{"name":"count","NAME":"merge"}'),
      messageOf('"id":"e","method":"tools/call","params":{"name":"count"},"param\u017f":{"name":"merge"}'),
      messageOf('"id":"f","method":"tools/call","params":{"name":["merge"]}'),
      messageOf('"id":"g","method":["tools/call"],"params":{"name":"merge"}'),
    ];
    for (const line of lines) raw(line);
    for (const id of 'abcdefg')
      expect(await until((message) => message.id === id)).toMatchObject({ id, error: { code: -32600 } });
    expect(await call('count', { of: 'x', NAME: 'merge' })).toMatchObject({ _meta: { calls: 'count' } });
    expect(seen.filter((line) => line.includes('"calls":"merge"'))).toEqual([]);
    // No call: any key may be there twice.
    const other = messageOf('"id":"h","method":"ping","params":{"text":"\\n","text":"b"}');
    raw(other);
    await until(({ id }) => id === 'h');
    expect(seen).toContain(other);
  });

  it('refuses what it cannot start', async () => {
    expect(await kairos(home, ['gateway', '--', '/no/such/program'])).toMatchObject({ code: 2 });
    expect(await kairos(home, ['gateway'])).toMatchObject({ code: 2 });
    expect(await kairos(home, ['gateway', '--url', 'ftp://x'])).toMatchObject({ code: 2 });
  });
});

describe('a step with a proposal', () => {
  const gated = {
    action_type: 'write',
    target: { resource_type: 'branch', resource_id: 'main', domain: 'git' },
  };
  const block = {
    proof_of_work: {
      type: 'mcp',
      mcp: { server: 'git', tool_name: 'merge', arguments: { id: 7 } },
      assurance: 'observed',
    },
    proposal: gated,
  };
  const GATED = `---\nslug: guarded\n---\n# Merge with a permit\n\n## Merge it\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`;

  /** A run whose proposal is allowed. */
  async function allowed(): Promise<{ uri: string; runId: string }> {
    writePolicy(home, {
      rules: [{ match: { action_types: ['write'] }, approval_class: 'none', evidence_optional: true }],
    });
    hold('  - {match: {tool: git/merge}, protocol: guarded}\n');
    writeFileSync(join(home.work, 'guarded.md'), GATED);
    await kairos(home, ['mint', 'guarded.md'], { prepares: true });
    const begun = JSON.parse((await kairos(home, ['begin', 'guarded', '--json'])).stdout);
    await permit(begun.run_id);
    return { uri: begun.current_step.uri, runId: begun.run_id };
  }

  async function permit(runId: string): Promise<void> {
    const draft = await kairos(home, ['proposal', 'new', runId]);
    writeFileSync(join(home.work, 'proposal.json'), draft.stdout);
    const decided = await kairos(home, ['proposal', 'submit', runId, 'proposal.json', '--json']);
    expect(JSON.parse(decided.stdout)).toMatchObject({ decision: 'ALLOW' });
  }

  const kindsOf = async (runId: string) => {
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
  };

  it('uses its permit first, then passes the call on once, and records it as observed', async () => {
    const { uri, runId } = await allowed();
    const { call } = local();
    expect(await call('merge', { id: 8 })).toMatchObject({ isError: true });
    expect(await kindsOf(runId)).not.toContain('permit.consumed');
    expect(await call('merge', { id: 7 })).toMatchObject({ _meta: { calls: 'merge' } });
    const kinds = await kindsOf(runId);
    const order = ['permit.consumed', 'command.started', 'command.finished', 'call.reported'];
    expect(kinds.filter((kind) => order.includes(kind))).toEqual(order);
    expect(await call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(await advance(uri, runId)).toMatchObject({ protocol_status: 'completed' });
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    const proof = stdout.split('\n').find((line) => line.includes('"proof.accepted"'));
    expect(JSON.parse(proof!).data).toMatchObject({ assurance: 'observed', via: 'gateway' });
  });

  it('keeps the permit for the server that it was given for', async () => {
    const other = { mcpServers: { git: { command: 'other', args: [] } } };
    writeFileSync(join(home.work, '.mcp.json'), JSON.stringify(other));
    const { runId } = await allowed();
    expect(await local().call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(await kindsOf(runId)).not.toContain('permit.consumed');
  });

  const mode = (name: string) => writeFileSync(join(home.work, 'mode.json'), JSON.stringify({ mode: name }));
  const finished = async (runId: string): Promise<Json[]> => {
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    const entries = stdout.split('\n').filter((line) => line.includes('"command.finished"'));
    return entries.map((line) => JSON.parse(line).data);
  };
  const mergeAs = (id: unknown, more: Json = {}) =>
    JSON.stringify({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'merge', arguments: { id: 7 }, ...more },
    });

  it('records that the server died during the call, and needs another permit for the next one', async () => {
    const { uri, runId } = await allowed();
    mode('dies');
    const dying = local();
    dying.raw(mergeAs(1));
    await dying.ended;
    expect(await finished(runId)).toMatchObject([{ failure: 'ended_early' }]);
    mode('none');
    const { call } = local();
    expect(await call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(await advance(uri, runId)).toMatchObject({ protocol_status: 'blocked' });
    await permit(runId);
    expect(await call('merge', { id: 7 })).toMatchObject({ _meta: { calls: 'merge' } });
    expect(await advance(uri, runId)).toMatchObject({ protocol_status: 'completed' });
  });

  it('records a cancelled call, and an answer that comes after all', async () => {
    const { uri, runId } = await allowed();
    mode('silent');
    const { raw, until } = local();
    raw(mergeAs('m'));
    const { params } = await until(({ method }) => method === 'saw/call');
    await delay(100);
    raw('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"m","reason":"x"}}');
    const cancelled = await until(({ method }) => method === 'saw/cancelled');
    expect(cancelled.params).toEqual({ requestId: (params as Json).id, reason: 'x' });
    const [end, ...others] = await finished(runId);
    expect([end?.failure, others]).toEqual(['aborted', []]);
    expect(end?.duration_ms).toBeGreaterThan(90);
    const late = { jsonrpc: '2.0', id: (params as Json).id, result: { content: [] } };
    raw(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }));
    raw(JSON.stringify(late));
    expect(await until(({ id, result }) => id === 'm' && result !== undefined)).toEqual({ ...late, id: 'm' });
    expect(await finished(runId)).toHaveLength(1);
    expect(await advance(uri, runId)).toMatchObject({ protocol_status: 'completed' });
  });

  it('lets the call through again with the input that the server asked for', async () => {
    const { uri, runId } = await allowed();
    mode('input');
    const { call, raw, until } = local();
    expect(await call('merge', { id: 7 })).toMatchObject({ resultType: 'input_required' });
    raw(mergeAs('again', { inputResponses: {}, requestState: 's' }));
    expect(await until(({ id }) => id === 'again')).toMatchObject({ result: { _meta: { calls: 'merge' } } });
    expect(await kindsOf(runId)).toContain('call.reported');
    expect(await call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(await advance(uri, runId)).toMatchObject({ protocol_status: 'completed' });
  });

  it('lets no second call through while the server continues the first as a task, whose end proves the step', async () => {
    const { uri, runId } = await allowed();
    mode('task');
    const { call, raw, until } = local();
    expect(await call('merge', { id: 7 })).toMatchObject({ resultType: 'task' });
    expect(await call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(await finished(runId)).toEqual([]);
    raw('{"jsonrpc":"2.0","id":"poll","method":"tasks/get","params":{"taskId":"t"}}');
    expect(await until(({ id }) => id === 'poll')).toMatchObject({ result: { status: 'completed' } });
    expect(await finished(runId)).toMatchObject([{ failure: null }]);
    expect(await advance(uri, runId)).toMatchObject({ protocol_status: 'completed' });
  });

  it('passes on one of two calls that race, through one gateway or two', async () => {
    for (const gateways of [[local()], [local(), local()]]) {
      const { runId } = await allowed();
      const answers = await Promise.all(
        [0, 1, 2, 3].map((at) => gateways[at % gateways.length]!.call('merge', { id: 7 })),
      );
      expect(answers.filter(({ isError }) => isError !== true)).toHaveLength(1);
      const kinds = await kindsOf(runId);
      expect(kinds.filter((kind) => kind === 'permit.consumed')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'command.started')).toHaveLength(1);
      await kairos(home, ['runs', 'close', runId, '--reason', 'The race is over.']);
    }
  });
});

describe('kairos gateway --url', () => {
  /** The same server over Streamable HTTP: JSON for requests, and with a session its stream of events. */
  async function httpServer(): Promise<{ url: string; headers: Json[] }> {
    const headers: Json[] = [];
    const server: HttpServer = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        headers.push({ ...request.headers, verb: request.method });
        if (request.method === 'GET') return response.writeHead(405).end();
        if (request.method === 'DELETE') return response.writeHead(200).end();
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
        if (id === undefined) return response.writeHead(202).end();
        const result =
          method === 'initialize'
            ? { protocolVersion: '2025-11-25', capabilities: {} }
            : { content: [{ type: 'text', text: 'ä3' }], _meta: { calls: params.name } };
        const text = JSON.stringify({ jsonrpc: '2.0', id, result });
        if (method !== 'tools/call') {
          response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'abc' });
          return response.end(text);
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(
          'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n',
        );
        return response.end(`id: 1\ndata: ${text}\n\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop.push(() => new Promise((resolve) => server.close(resolve)));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers };
  }

  it('reaches a server with a session, and enforces the list there too', async () => {
    hold(HELD);
    const { url, headers } = await httpServer();
    const { call, raw, until, seen } = gateway('--name', 'git', '--url', url);
    raw('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}');
    await until(({ id }) => id === 'i');
    raw('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect(await call('count', { of: 'x' })).toMatchObject({ content: [{ text: 'ä3' }] });
    expect(seen.some((line) => line.includes('notifications/progress'))).toBe(true);
    expect(await call('merge', { id: 7 })).toMatchObject({ isError: true });
    expect(headers.at(-1)).toMatchObject({ 'mcp-session-id': 'abc', 'mcp-protocol-version': '2025-11-25' });
    expect(headers.every((each) => each['mcp-method'] === undefined)).toBe(true);
  });

  it('sends the headers of a request without a session', async () => {
    const { url, headers } = await httpServer();
    const { call } = gateway('--url', url);
    await call('count', {}, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' });
    expect(headers[0]).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'count',
    });
    expect(headers[0]).not.toHaveProperty('mcp-session-id');
  });

  it('sends the headers that it is given, with their variables', async () => {
    const { url, headers } = await httpServer();
    home.env.KAIROS_GATEWAY_HEADERS = '{"X-Key": "a${KEY}${NONE}"}';
    home.env.KEY = 'b';
    const { call } = gateway('--url', url);
    await call('count');
    expect(headers[0]).toMatchObject({ 'x-key': 'ab${NONE}' });
  });

  it('returns an error for a server that cannot be reached', async () => {
    const { call } = gateway('--url', 'http://127.0.0.1:9/mcp');
    expect(await call('count')).toMatchObject({
      code: -32000,
      message: expect.stringContaining('127.0.0.1:9'),
    });
  });
});
