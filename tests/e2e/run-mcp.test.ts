import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processTable } from '../../src/host/commands/process-tree.ts';
import { serverDigest } from '../../src/host/mcp-client/resolve-server.ts';
import { type CliHome, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';
import { ASKED, answer, openKairos, runIdIn } from '../support/kairos-terminal.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolWith, stepOf } from '../support/protocols.ts';
import { closeTerminals, KEYS } from '../support/pty.ts';
import { answersFile, everything, protocolFile } from '../support/run.ts';

/** Steps that are proven by a tool of a real MCP server, named by the files that people already have. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

const SERVER = fileURLToPath(new URL('../host/mcp-client/fixtures/server.mjs', import.meta.url));
const CLOSING = 'The tools answered as they should have.';

/** A definition as it stands in a file; started, it leaves its pid in the working directory. */
const definition = (env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [SERVER, home.work],
  env,
});
const digestOf = (server: ReturnType<typeof definition>) => serverDigest({ ...server, cwd: null });

function configure(path: string, content: object, root = home.work): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

interface Call {
  server?: string;
  tool: string;
  arguments?: object;
  expected?: unknown;
}

/** A protocol with one step for each call. */
const protocolOf = (calls: Call[]) =>
  `# Call the tools\n\n${calls
    .map(({ server, tool, arguments: args, expected }, at) =>
      stepOf(`Call ${at + 1}`, 'Call it.', {
        proof_of_work: {
          type: 'mcp',
          mcp: {
            tool_name: tool,
            ...(server === undefined ? {} : { server }),
            ...(args === undefined ? {} : { arguments: args }),
            ...(expected === undefined ? {} : { expected_result: expected }),
          },
        },
      }),
    )
    .join('\n')}`;

/** Runs a protocol with an answers file, its own digest trusted, and the servers' digests given. */
async function runWith(calls: Call[], trusted: string[], answers: Record<string, unknown> = {}) {
  const { path, digest } = await protocolFile(home, protocolOf(calls));
  const trust = [digest, ...trusted].flatMap((one) => ['--trust', one]);
  const file = answersFile(home, { closing: CLOSING, ...answers });
  return kairosJson(home, ['run', path, ...trust, '--answers', file]);
}

const startedAt = () => existsSync(join(home.work, 'server'));
const living = (name: string) => {
  const pid = Number(readFileSync(join(home.work, name), 'utf8'));
  return processTable().some((row) => row.pid === pid);
};
const SUM: Call = { server: 'sums', tool: 'sum', arguments: { a: 1, b: 2 }, expected: { sum: 3 } };

describe('a tool of a server that a file names', () => {
  it('gives later commands what is captured from its result unchanged, and no record has it', async () => {
    const server = definition({ API_TOKEN: 'correct-horse' });
    configure('.mcp.json', { mcpServers: { leaky: server } });
    const call = {
      proof_of_work: { type: 'mcp', mcp: { tool_name: 'leaks', server: 'leaky' } },
      captures: [{ name: 'VALUE', from: 'result', json_pointer: '/content/0/text' }],
    };
    const keep = {
      proof_of_work: { type: 'shell', shell: { cmd: 'printf %s "$VALUE" > kept.txt', timeout_seconds: 20 } },
    };
    const { path, digest } = await protocolFile(
      home,
      `# Leak\n\n${stepOf('Call', 'Call it.', call)}\n${stepOf('Keep', 'Keep it.', keep)}`,
    );
    const trust = ['--trust', digest, '--trust', digestOf(server)];
    const answers = answersFile(home, { closing: CLOSING });
    const run = await kairosJson(home, ['run', path, ...trust, '--answers', answers]);
    expect(run).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'kept.txt'), 'utf8')).toBe(
      JSON.stringify({ 'correct-horse': `ghp_${'a'.repeat(36)}` }),
    );
    expect(run.stdout + everything(home.data)).not.toMatch(/correct-horse|ghp_aaa/);
  });

  it('is called by kairos itself, from each of the files that clients keep', async () => {
    const env = ['root', 'editor', 'other'].map((name) => definition({ WHO: name }));
    configure('.mcp.json', { mcpServers: { sums: env[0] } });
    configure('.vscode/mcp.json', { servers: { words: { type: 'stdio', ...env[1] } } });
    configure('.cursor/mcp.json', { mcpServers: { json: env[2] } });
    const run = await runWith(
      [
        SUM,
        { server: 'words', tool: 'words', expected: 'all is well' },
        { server: 'json', tool: 'json', expected: { status: 'ok' } },
      ],
      env.map(digestOf),
    );
    expect(run).toMatchObject({ code: 0 });
    expect(run.objects.filter(({ event }) => event === 'tool')).toMatchObject(
      ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'].map((file) => ({
        source: expect.stringContaining(`work/${file}`),
      })),
    );
    const { entries } = await exportedLedger(home, String(run.objects.at(-1)?.run_id));
    const proofs = entries.filter(({ kind }) => kind === 'proof.accepted').map(({ data }) => data);
    expect(proofs.map(({ type, assurance }) => [type, assurance])).toEqual([
      ['mcp', 'observed'],
      ['mcp', 'observed'],
      ['mcp', 'observed'],
      ['comment', 'claimed'],
    ]);
    expect(proofs[0]?.mcp).toMatchObject({
      tool_name: 'sum',
      arguments_json: '{"a":1,"b":2}',
      success: true,
    });
    expect(living('server')).toBe(false);
    const runId = String(run.objects.at(-1)?.run_id);
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
  });

  it("needs no separate trust when the file is the user's", async () => {
    configure('.cursor/mcp.json', { mcpServers: { sums: definition() } }, home.home);
    expect(await runWith([SUM], [])).toMatchObject({ code: 0 });
  });

  it('is ended when it runs longer than its permit allows', async () => {
    configure('.mcp.json', { mcpServers: { sums: definition() } });
    const target = { resource_type: 'sum', resource_id: 'one', domain: 'house.example', constraints: {} };
    const gated = {
      proof_of_work: { type: 'mcp', mcp: { server: 'sums', tool_name: 'hangs' } },
      proposal: { action_type: 'read', target, time_window: { max_duration_ms: 1500 } },
    };
    const policy = { version: 1, rules: [{ match: {}, evidence_optional: true }] };
    writeFileSync(join(home.config, 'kairos.policy.yaml'), JSON.stringify(policy), { mode: 0o600 });
    const { path, digest } = await protocolFile(home, `# Hang\n\n${stepOf('Call', 'Call it.', gated)}`);
    const file = answersFile(home, { closing: CLOSING, '1.proposal': '{}' });
    const trust = ['--trust', digest, '--trust', digestOf(definition())];
    const { code, objects } = await kairosJson(home, ['run', path, ...trust, '--answers', file]);
    expect(code).toBe(1);
    const { entries } = await exportedLedger(home, String(objects[0]?.run_id));
    expect(entries.flatMap(({ kind, data }) => (kind.startsWith('command.') ? [data] : []))).toEqual([
      expect.objectContaining({ cmd: 'sums: hangs', timeout_seconds: 2 }),
      expect.objectContaining({ failure: 'timed_out' }),
    ]);
  });

  it('is called by hand when the step names no server, and is then a claim', async () => {
    const run = await runWith([{ tool: 'sum', expected: { sum: 3 } }], [], {
      '1.result': '{"structuredContent": {"sum": 3}, "content": []}',
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.objects.at(-1)).toMatchObject({ assurance: { observed: 0, claimed: 2 } });
  });
});

describe('trust in a server of a project', () => {
  it('is asked for before the first step where it cannot be given by hand', async () => {
    const server = definition();
    configure('.mcp.json', { mcpServers: { sums: server } });
    const run = await runWith([SUM], []);
    expect(run.code).toBe(3);
    expect(run.objects.at(-1)).toMatchObject({
      reason: expect.stringContaining(`--trust ${digestOf(server)}`),
      run_id: null,
    });
    expect(run.objects.at(-2)).toMatchObject({ questions: [{ id: 'trust-server-sums' }] });
    expect(startedAt()).toBe(false);

    const { path, digest } = await protocolFile(home, protocolOf([SUM]));
    const trust = ['--trust', digest];
    const silent = await kairosJson(home, ['run', path, ...trust, '--no-input']);
    expect(silent).toMatchObject({
      code: 3,
      objects: [{ questions: [{ id: 'trust-server-sums' }, { id: 'closing' }] }],
    });
    const piped = await kairos(home, ['run', path, ...trust], { stdin: `yes\n${CLOSING}\n` });
    expect(piped).toMatchObject({ code: 3, stderr: expect.stringContaining(`--trust ${digestOf(server)}`) });
    expect((await kairosJson(home, ['runs'])).objects).toMatchObject([{ runs: [] }]);

    const answers = answersFile(home, { closing: CLOSING });
    const both = [...trust, '--trust', digestOf(server)];
    expect(await kairos(home, ['run', path, ...both, '--answers', answers])).toMatchObject({ code: 0 });
  });

  it.runIf(SPAWNS && process.platform !== 'win32')(
    'is given by a person who sees its command, once',
    async () => {
      const server = definition({ WHO: 'me' });
      configure('.mcp.json', { mcpServers: { sums: server } });
      await protocolFile(home, protocolOf([SUM]));
      const refusing = openKairos(home, ['run', './protocol.md'], { cols: 300 });
      await answer(refusing, ASKED.trust, 'y');
      await refusing.waitFor('This step calls the MCP server sums');
      await refusing.waitFor(`${process.execPath} ${SERVER} ${home.work}`);
      await refusing.waitFor('environment: WHO');
      await answer(refusing, 'Let it run on this machine, as you?', 'n');
      expect((await refusing.exit).exitCode).toBe(4);
      expect(startedAt()).toBe(false);

      const trusting = openKairos(home, ['run', './protocol.md']);
      await answer(trusting, ASKED.openRun, 'r');
      await answer(trusting, 'Let it run on this machine, as you?', 'y');
      await answer(trusting, ASKED.closing, CLOSING);
      expect((await trusting.exit).exitCode).toBe(0);
      const { objects } = await kairosJson(home, ['trust', '--list']);
      expect(objects[0]?.trusted).toContainEqual(expect.objectContaining({ digest: digestOf(server) }));

      const again = openKairos(home, ['run', './protocol.md']);
      await answer(again, ASKED.closing, CLOSING);
      expect((await again.exit).exitCode).toBe(0);
      expect(again.screen()).not.toContain('Let it run on this machine');

      configure('.mcp.json', { mcpServers: { sums: definition({ WHO: 'somebody else' }) } });
      const changed = openKairos(home, ['run', './protocol.md']);
      await answer(changed, 'Let it run on this machine, as you?', 'n');
      expect((await changed.exit).exitCode).toBe(4);
    },
  );
});

describe('a proof that does not come', () => {
  it.each([
    ['another result', { ...SUM, expected: { sum: 4 } }, 'MCP_RESULT_MISMATCH'],
    ['a tool that fails', { server: 'sums', tool: 'fails' }, 'TOOL_FAILED'],
    ['a tool that is missing', { server: 'sums', tool: 'nowhere' }, 'TOOL_FAILED'],
    ['a server that crashes', { server: 'sums', tool: 'crashes' }, 'TOOL_FAILED'],
    ['a server that cannot be started', { server: 'none', tool: 'any' }, 'TOOL_FAILED'],
  ])('%s ends with 1 and the reason', async (_name, call, code) => {
    const none = { ...definition(), command: 'no-such-program' };
    configure('.mcp.json', { mcpServers: { sums: definition(), none } });
    const run = await runWith([call], [definition(), none].map(digestOf));
    expect(run.code).toBe(1);
    const told = run.objects.find(({ event }) => event === 'answer');
    expect(told).toMatchObject({ error_code: code, handed_in_as: 'observed', retry_count: 1 });
    const { entries, seal } = await exportedLedger(home, String(run.objects.at(-1)?.run_id));
    expect(seal).toBeNull();
    expect(entries.map(({ kind }) => kind).slice(-3)).toEqual([
      'command.finished',
      'proof.rejected',
      'step.shown',
    ]);
  });

  it('a server that no file names ends with the known ones, and the run is kept', async () => {
    configure('.mcp.json', { mcpServers: { sums: definition(), words: definition() } });
    const run = await runWith([{ server: 'smus', tool: 'sum' }], []);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: {
        code: 'NOT_FOUND',
        message: 'no MCP server is configured under the name "smus"',
        hint: 'Known servers: sums, words.',
      },
    });
    expect(run.objects.at(-1)).toMatchObject({ event: 'stopped', resume: expect.stringContaining('resume') });
  });

  it('a server that no file names fails an optional step, which the run then does without', async () => {
    const { path, digest } = await protocolFile(
      home,
      protocolWith({
        proof_of_work: { type: 'mcp', mcp: { tool_name: 'sum', server: 'absent' }, required: false },
      }),
    );
    const file = answersFile(home, { closing: CLOSING });
    const run = await kairosJson(home, ['run', path, '--trust', digest, '--answers', file]);
    expect(run.code).toBe(0);
    expect(run.objects).toContainEqual({
      event: 'note',
      text: expect.stringContaining('no MCP server is configured under the name "absent"'),
    });
    const { entries } = await exportedLedger(home, String(run.objects[0]?.run_id));
    expect(entries.find(({ kind }) => kind === 'proof.rejected')?.data).toMatchObject({
      code: 'TOOL_FAILED',
      waived: true,
    });
  });

  it.runIf(SPAWNS && process.platform !== 'win32')(
    'Ctrl-C ends a server that hangs, and everything that it started',
    async () => {
      configure('.mcp.json', { mcpServers: { sums: definition() } });
      await protocolFile(home, protocolOf([{ server: 'sums', tool: 'hangs' }]));
      const terminal = openKairos(home, ['run', './protocol.md']);
      await answer(terminal, ASKED.trust, 'y');
      await answer(terminal, 'Let it run on this machine, as you?', 'y');
      await terminal.waitFor('Calling hangs on the MCP server sums');
      await expect.poll(startedAt, { timeout: 60_000 }).toBe(true);
      terminal.send(KEYS.ctrlC);
      await answer(terminal, ASKED.interrupted, 'a');
      expect((await terminal.exit).exitCode).toBe(4);
      expect([living('server'), living('child')]).toEqual([false, false]);
      const { entries } = await exportedLedger(home, runIdIn(terminal.screen()));
      expect(entries.at(-1)).toMatchObject({ kind: 'command.finished', data: { failure: 'aborted' } });
    },
  );
});
