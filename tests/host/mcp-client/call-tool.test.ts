// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how clients' files write variables
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTool, type ToolCall } from '../../../src/host/mcp-client/call-tool.ts';
import type { FoundServer, ServerDefinition } from '../../../src/host/mcp-client/find-server.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/server.mjs', import.meta.url));
const TOOLS = [
  'sum, json, words, two, fails, leaks, environment, hangs, crashes, throws, answersAndExits, breaksItsSchema',
].join();

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-mcp-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const server = (definition: Partial<ServerDefinition> = {}): FoundServer => ({
  definition: {
    name: 'fixture',
    command: process.execPath,
    args: [FIXTURE],
    env: { API_TOKEN: 'hunter2hunter2' },
    cwd: null,
    ...definition,
  },
  file: join(dir, '.mcp.json'),
  scope: 'project',
  folder: dir,
});
const call = (tool: string, rest: Partial<ToolCall> = {}, definition: Partial<ServerDefinition> = {}) =>
  callTool(server(definition), {
    tool,
    arguments: {},
    timeoutSeconds: 20,
    env: { PATH: process.env.PATH },
    ...rest,
  });
/** A server that is nothing but a shell script. */
const script = (lines: string, rest: Partial<ToolCall> = {}) =>
  call('any', rest, { command: '/bin/sh', args: ['-c', lines] });

describe('a tool that answers', () => {
  it('gives its structured content, and all of what else there is to know', async () => {
    expect(await call('sum', { arguments: { a: 1, b: 2 } })).toEqual({
      ok: true,
      tool: 'sum',
      result: { sum: 3 },
      success: true,
      is_error: false,
      raw: { content: [{ type: 'text', text: 'see structured' }], structuredContent: { sum: 3 } },
      given: { content: [{ type: 'text', text: 'see structured' }], structuredContent: { sum: 3 } },
      server: { name: 'fixture', version: '1.2.3' },
      duration_seconds: expect.any(Number),
      stderr: expect.objectContaining({
        text: 'starting with token [redacted:API_TOKEN]\n',
        truncated: false,
      }),
      survivors: [],
    });
  });

  it.each([
    ['json', { status: 'ok', count: 2 }],
    ['words', 'all is well'],
    [
      'two',
      [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    ],
    ['answersAndExits', 'bye'],
  ])('%s: single text parsed or unchanged, else the raw content', async (tool, result) => {
    expect(await call(tool)).toMatchObject({ ok: true, success: true, result });
  });

  it('reports its failure', async () => {
    expect(await call('fails')).toMatchObject({
      ok: true,
      success: false,
      is_error: true,
      result: 'disk full',
    });
  });

  it('does not give secrets away', async () => {
    // Captures read `given`, which is neither stored nor shown.
    const { given, ...kept } = (await call('leaks')) as { given: unknown };
    expect(kept).toMatchObject({ result: { '[redacted:API_TOKEN]': '[redacted:github-token]' } });
    expect(JSON.stringify(kept)).not.toMatch(/hunter2|ghp_/);
    expect(JSON.stringify(given)).toMatch(/ghp_/);
  });

  it('runs in its folder with the allowlisted environment and what its file sets', async () => {
    const env = { PATH: process.env.PATH, LANG: 'C', OTHER_SECRET: 'x', WHO: 'me' };
    const outcome = await call('environment', { env }, { env: { GREETED: '${WHO}' }, args: [FIXTURE] });
    const names = ['GREETED', 'KAIROS_RUN_MARK', 'LANG', 'PATH'];
    expect(outcome).toMatchObject({ result: { names, cwd: dir } });
  });

  it('may greet on its stdout first', async () => {
    const outcome = await call('words', {}, { env: { GREETING: 'Welcome!\n\nhave fun' } });
    expect(outcome).toMatchObject({ ok: true, result: 'all is well' });
  });
});

describe('a server that is done with', () => {
  it('ends with everything that it started', async () => {
    expect(await call('words', {}, { args: [FIXTURE, dir] })).toMatchObject({ ok: true, survivors: [] });
    expect([isAlive('server'), isAlive('child')]).toEqual([false, false]);
  });

  it('goes though it ignores TERM', async () => {
    const outcome = await call(
      'hangs',
      { timeoutSeconds: 4 },
      { args: [FIXTURE, dir], env: { IGNORE_TERM: '1' } },
    );
    expect(outcome).toMatchObject({ ok: false, failure: 'timed_out', survivors: [] });
    expect([isAlive('server'), isAlive('child')]).toEqual([false, false]);
  });
});

describe('a server that does not answer', () => {
  const failure = (kind: string, message: string | RegExp) => ({
    ok: false,
    failure: kind,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    duration_seconds: expect.any(Number),
    stderr: expect.anything(),
    survivors: [],
  });

  it('cannot be started', async () => {
    const outcome = await call('any', {}, { command: 'no-such-program' });
    expect(outcome).toEqual({
      ...failure(
        'not_started',
        `no-such-program could not be started in ${dir}: spawn no-such-program ENOENT`,
      ),
      stderr: null,
    });
  });

  it('has no such tool', async () => {
    expect(await call('nonsense')).toEqual(
      failure('no_such_tool', `it has no tool "nonsense"; it has ${TOOLS}`),
    );
  });

  it('hangs', async () => {
    expect(await call('hangs', { timeoutSeconds: 1.5 })).toEqual(
      failure('timed_out', 'it did not answer within 1.5 s'),
    );
    expect(await script('cat > /dev/null', { timeoutSeconds: 0.5 })).toEqual(
      failure('timed_out', 'it did not answer within 0.5 s'),
    );
    expect(await script('sleep 300', { timeoutSeconds: 0.5 })).toMatchObject({ failure: 'timed_out' });
  });

  it('crashes', async () => {
    expect(await call('crashes')).toEqual(
      failure('ended_early', 'it ended with exit code 3 before it answered'),
    );
    expect(await script('echo oops >&2; kill -9 $$')).toEqual({
      ...failure('ended_early', 'it ended with SIGKILL before it answered'),
      stderr: expect.objectContaining({ text: 'oops\n' }),
    });
    expect(await script('exit 0')).toMatchObject({ failure: 'ended_early' });
  });

  it('crashes and leaves another process with its output', async () => {
    expect(await script('sleep 300 & echo $! > child; exit 1')).toEqual(
      failure('ended_early', 'it ended with exit code 1 before it answered'),
    );
    expect(isAlive('child')).toBe(false);
  });

  it('closes its output and lives on', async () => {
    expect(await script('exec >&-; sleep 300')).toMatchObject({
      failure: 'ended_early',
      message: 'it closed its output before it answered',
    });
  });

  it('returns an error', async () => {
    expect(await call('throws')).toEqual(
      failure('protocol_error', /^it answered with an error: .*no such table$/),
    );
  });

  it('returns what its schema forbids', async () => {
    expect(await call('breaksItsSchema')).toEqual(
      failure('protocol_error', /^it answered with an error: .*output schema/),
    );
  });

  it('returns an invalid response', async () => {
    const answer = `read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":7}}'; sleep 300`;
    expect(await script(answer)).toEqual(
      failure('protocol_error', /^its response is invalid: protocolVersion: /),
    );
  });

  it('talks of something else', async () => {
    expect(await script('while :; do echo hello ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done')).toEqual(
      failure(
        'protocol_error',
        'it wrote line after line that is not JSON-RPC before it answered; it wrote to its stdout what is not JSON-RPC: hello [redacted:github-token]',
      ),
    );
    expect(await script(`echo '{"jsonrpc": "1.0"}'; sleep 300`, { timeoutSeconds: 0.5 })).toEqual(
      failure(
        'timed_out',
        'it did not answer within 0.5 s; it wrote to its stdout what is not JSON-RPC: {"jsonrpc": "1.0"}',
      ),
    );
  });

  it('talks without end', async () => {
    expect(await script('exec cat /dev/zero')).toEqual(
      failure('protocol_error', 'it wrote a line of more than 10 MiB before it answered'),
    );
  });

  it('is aborted', async () => {
    const controller = new AbortController();
    const calling = call('hangs', { signal: controller.signal }, { args: [FIXTURE, dir] });
    while (!existsSync(join(dir, 'server'))) await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    expect(await calling).toEqual(failure('aborted', 'it was aborted'));
    expect([isAlive('server'), isAlive('child')]).toEqual([false, false]);
  });

  it('is not even started after an abort', async () => {
    const outcome = await call('words', { signal: AbortSignal.abort() }, { args: [FIXTURE, dir] });
    expect(outcome).toEqual({ ...failure('aborted', 'it was aborted'), duration_seconds: 0, stderr: null });
    expect(existsSync(join(dir, 'server'))).toBe(false);
  });
});

function isAlive(file: string): boolean {
  const pid = Number.parseInt(readFileSync(join(dir, file), 'utf8'), 10);
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
