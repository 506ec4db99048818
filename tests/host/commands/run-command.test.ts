import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentVariable, processTable } from '../../../src/host/commands/process-tree.ts';
import {
  bwrapUsable,
  type CommandHooks,
  type CommandSpec,
  runCommand,
} from '../../../src/host/commands/run-command.ts';
import { makeRedactor } from '../../../src/host/secrets/redact.ts';
import { bundleScript } from './bundle-script.ts';

const NODE = JSON.stringify(process.execPath);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const captured = (text: string) => ({
  text,
  bytes: Buffer.byteLength(text),
  sha256: sha256(text),
  truncated: false,
});
/** Standard output, whose captures read it as it is. */
const printed = (text: string, whole = text) => ({ ...captured(text), whole });

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-run-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (cmd: string, spec: Partial<CommandSpec> = {}, hooks: CommandHooks = {}) =>
  runCommand(
    {
      cmd,
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', DIR: dir },
      timeoutSeconds: 60,
      interactive: false,
      redact: makeRedactor({ THE_TOKEN: 'hunter2hunter2' }),
      ...spec,
    },
    hooks,
  );

describe('a command that ends by itself', () => {
  it('gives exit code, output and duration', async () => {
    const pids: number[] = [];
    const result = await run(
      'echo out; echo err >&2; pwd; exit 3',
      {},
      { onStarted: (pid) => pids.push(pid) },
    );
    expect(result).toEqual({
      exit_code: 3,
      signal: null,
      timed_out: false,
      aborted: false,
      error: null,
      suspended_seconds: 0,
      duration_seconds: expect.any(Number),
      stdout: printed(`out\n${dir}\n`),
      stderr: captured('err\n'),
      containment: 'process-group',
      survivors: [],
    });
    expect(pids).toEqual([expect.any(Number)]);
  });

  it('names the signal that ended it', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ exit_code: null, signal: 'SIGKILL', timed_out: false });
  });

  it('has no stdin, only the given environment, and a mark', async () => {
    const { stdout } = await run('cat; env', { env: { PATH: process.env.PATH ?? '', GREETING: 'hi' } });
    expect(stdout?.text).toContain('GREETING=hi\n');
    expect(stdout?.text).toMatch(/^KAIROS_RUN_MARK=[0-9a-f]{24}$/m);
    expect(stdout?.text).not.toContain('HOME=');
  });

  it('keeps the mark of a run around it', async () => {
    const { stdout } = await run('echo $KAIROS_RUN_MARK', { env: { KAIROS_RUN_MARK: 'outer' } });
    expect(stdout?.text).toMatch(/^outer:[0-9a-f]{24}\n$/);
  });

  it('streams output as it comes, without waiting for a newline', async () => {
    const seen: [string, string][] = [];
    const release = join(dir, 'release');
    const result = await run(
      `printf 'Ready? '; while [ ! -e release ]; do sleep 0.02; done; printf ok >&2`,
      {},
      {
        onOutput: (stream, text) => {
          seen.push([stream, text]);
          if (text === 'Ready? ') writeFileSync(release, '');
        },
      },
    );
    expect(seen).toEqual([
      ['stdout', 'Ready? '],
      ['stderr', 'ok'],
    ]);
    expect(result.exit_code).toBe(0);
  });

  it('redacts what it streams and what it keeps, wherever the pieces are cut', async () => {
    let streamed = '';
    const { stdout } = await run(
      `printf 'a hunter2'; sleep 0.1; printf 'hunter2 b hunt'`,
      {},
      {
        onOutput: (_stream, text) => {
          streamed += text;
        },
      },
    );
    expect(stdout).toEqual(printed('a [redacted:THE_TOKEN] b hunt', 'a hunter2hunter2 b hunt'));
    expect(streamed).toBe('a [redacted:THE_TOKEN] b hunt');
  });

  it('joins characters that come in pieces, and replaces bytes that are not text', async () => {
    expect((await run(`printf '\\303'; sleep 0.1; printf '\\244'`)).stdout).toEqual(printed('ä'));
    expect((await run(`printf 'a\\377\\000b\\177\\303'`)).stdout).toEqual(printed('a\ufffd\0b\ufffd\ufffd'));
    expect((await run(`printf '\\357\\273\\277x'`)).stdout).toEqual(printed('\ufeffx'));
  });

  it('keeps head and tail of ten megabytes and the digest of them all', async () => {
    const { stdout, exit_code } = await run(`${NODE} -e 'process.stdout.write("ä".repeat(5 << 20) + "!")'`);
    const whole = `${'ä'.repeat(5 << 20)}!`;
    const left = (10 << 20) + 1 - 65_536 - 65_535;
    expect(exit_code).toBe(0);
    expect(stdout).toEqual({
      text: `${'ä'.repeat(32_768)}\n[... ${left} bytes left out ...]\n${'ä'.repeat(32_767)}!`,
      bytes: (10 << 20) + 1,
      sha256: sha256(whole),
      truncated: true,
    });
  });

  it('names the interpreter that is not installed', async () => {
    expect(await run('true', { interpreter: 'no-such-interpreter' })).toMatchObject({
      exit_code: null,
      error: 'no-such-interpreter is not installed, or not in PATH',
    });
  });

  it('cannot be started without a directory, or with a command that no system accepts', async () => {
    expect(await run('true', { cwd: join(dir, 'absent') })).toMatchObject({
      exit_code: null,
      error: expect.stringContaining('ENOENT'),
      aborted: false,
    });
    expect(await run(`: ${'x'.repeat(4 << 20)}`)).toMatchObject({ error: expect.stringContaining('E2BIG') });
    expect(await run('a\0b')).toMatchObject({ error: expect.any(String) });
  });
});

describe('processes in the background', () => {
  it('that keep the output open are ended with the shell', async () => {
    const result = await run('sleep 300 & echo $! > child; echo hi');
    expect(result).toMatchObject({ exit_code: 0, timed_out: false, stdout: { text: 'hi\n' }, survivors: [] });
    expect(isAlive(pidIn('child'))).toBe(false);
  });

  it('that have redirected their output stay', async () => {
    const result = await run('sleep 300 > log 2>&1 & echo $! > child; echo hi');
    const pid = pidIn('child');
    try {
      expect(result).toMatchObject({ exit_code: 0, stdout: { text: 'hi\n' } });
      expect(isAlive(pid)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  const STUBBORN = `(trap '' TERM INT HUP; while :; do sleep 0.1; done) & echo $! > stubborn`;
  const trees: [name: string, cmd: string, pids: string[]][] = [
    ['a child that it waits for', 'sleep 300 & echo $! > child; wait', ['child']],
    [
      'children and grandchildren',
      `sh -c 'sleep 300 & echo $! > grandchild; wait' & echo $! > child; wait`,
      ['child', 'grandchild'],
    ],
    ['one that ignores TERM', `${STUBBORN}; wait`, ['stubborn']],
    [
      'a shell that ignores TERM itself',
      `trap '' TERM; echo $$ > self; while :; do sleep 0.1; done`,
      ['self'],
    ],
    ['a stopped one', 'sleep 300 & echo $! > child; kill -STOP $!; wait', ['child']],
    [
      'one in a session of its own',
      `setsid sh -c 'echo $$ > far; exec sleep 300' & wait; sleep 300`,
      ['far'],
    ],
    [
      'one in a session of its own, whose parent is gone',
      `sh -c 'setsid sh -c "echo \\$\\$ > far; exec sleep 300" &'; sleep 300`,
      ['far'],
    ],
    [
      'one without the mark, still a descendant',
      `setsid env -i /bin/sh -c 'echo $$ > far; exec sleep 300' & wait; sleep 300`,
      ['far'],
    ],
  ];

  it.each([1, 2, 6].map((i) => trees[i]!))('are all ended at the timeout: %s', async (_name, cmd, files) => {
    const result = await run(cmd, { timeoutSeconds: 1.5 });
    expect(result).toMatchObject({ timed_out: true, aborted: false, survivors: [] });
    expect(files.map((file) => isAlive(pidIn(file)))).toEqual(files.map(() => false));
  });

  it.each(trees)('are all ended at an abort: %s', async (_name, cmd, files) => {
    const controller = new AbortController();
    const running = run(cmd, {}, { signal: controller.signal });
    await waitFor(() => files.every((file) => existsSync(join(dir, file)) && pidIn(file) > 0));
    controller.abort();
    expect(await running).toMatchObject({ timed_out: false, aborted: true, survivors: [] });
    expect(files.map((file) => isAlive(pidIn(file)))).toEqual(files.map(() => false));
  });

  it.runIf(process.platform === 'linux')(
    'are all ended though they continue to fork and ignore TERM',
    async () => {
      const running = run(`trap '' TERM; while :; do (sleep 300 &); sleep 300 & echo; sleep 0.01; done`, {
        timeoutSeconds: 1.5,
      });
      expect(await running).toMatchObject({ timed_out: true, survivors: [] });
      expect(processTable().filter(({ pid }) => environmentVariable(pid, 'DIR') === dir)).toEqual([]);
    },
  );

  it('get the time to end in good order', async () => {
    const result = await run(`trap 'echo cleaned up; exit 7' TERM; sleep 300 & wait`, {
      timeoutSeconds: 0.5,
    });
    expect(result).toMatchObject({ exit_code: 7, timed_out: true, stdout: { text: 'cleaned up\n' } });
  });

  it('are killed immediately when asked to', async () => {
    const kill = new AbortController();
    const running = run(
      `${STUBBORN}; trap 'echo too late' TERM; echo ready; wait`,
      {},
      { kill: kill.signal, onOutput: () => kill.abort() },
    );
    expect(await running).toMatchObject({ signal: 'SIGKILL', aborted: true, stdout: { text: 'ready\n' } });
    expect(isAlive(pidIn('stubborn'))).toBe(false);
  });

  it("do not block the result when they can't be ended", async () => {
    const lost = `sh -c 'env -i setsid /bin/sh -c "echo \\$\\$ > far; exec sleep 300" &'`;
    const result = await run(`${lost}; while [ ! -s far ]; do sleep 0.02; done; echo hi`);
    process.kill(pidIn('far'), 'SIGKILL');
    expect(result).toMatchObject({ exit_code: 0, stdout: { text: 'hi\n' } });
  });
});

describe('an abort that came before', () => {
  it('starts nothing', async () => {
    expect(await run('touch ran', {}, { signal: AbortSignal.abort() })).toEqual({
      exit_code: null,
      signal: null,
      timed_out: false,
      aborted: true,
      error: null,
      suspended_seconds: 0,
      duration_seconds: 0,
      stdout: null,
      stderr: null,
      containment: 'process-group',
      survivors: [],
    });
    expect(existsSync(join(dir, 'ran'))).toBe(false);
  });
});

describe('an interactive command', () => {
  it('is neither seen nor kept, and ended with its tree at the timeout', async () => {
    const result = await run('sleep 300 & echo $! > child; wait', { interactive: true, timeoutSeconds: 0.5 });
    expect(result).toMatchObject({
      timed_out: true,
      stdout: null,
      stderr: null,
      containment: 'terminal',
      survivors: [],
    });
    expect(isAlive(pidIn('child'))).toBe(false);
  });
});

describe('a program that exits while its command runs', () => {
  it('ends the process tree with it', async () => {
    const script = await bundleScript(
      join(dir, 'exit.mjs'),
      `import { environmentVariable, processTable } from './host/commands/process-table.ts';
import { makeRedactor } from './host/secrets/redact.ts';
      import { runCommand } from './host/commands/run-command.ts';
      const env = { PATH: process.env.PATH };
      const redact = makeRedactor({});
      const cmd = 'sleep 300 & echo $! > child; setsid sleep 300 & echo $! > far; echo ready; wait';
      const onOutput = () => process.exit(9);
      runCommand({ cmd, cwd: process.argv[2], env, timeoutSeconds: 60, interactive: false, redact }, { onOutput });`,
    );
    expect(spawnSync(process.execPath, [script, dir]).status).toBe(9);
    await waitFor(() => !isAlive(pidIn('child')) && !isAlive(pidIn('far')));
  });
});

describe('a hook that throws', () => {
  it('leaves nothing running', async () => {
    const fail = () => {
      throw new Error('no');
    };
    let started = 0;
    const running = run(
      'exec sleep 300',
      {},
      {
        onStarted: (pid) => {
          started = pid;
          fail();
        },
      },
    );
    await expect(running).rejects.toThrow('no');
    await waitFor(() => !isAlive(started));
  });
});

describe.skipIf(!(await bwrapUsable()))('bubblewrap', () => {
  it('contains even what leaves session, parent and mark', async () => {
    const lost = `sh -c 'env -i setsid /bin/sh -c "touch far; sleep 1.2; touch survived" > /dev/null 2>&1 &'`;
    const result = await run(`${lost}; while [ ! -e far ]; do sleep 0.02; done; echo hi; pwd; exit 4`, {
      containment: 'bwrap',
    });
    expect(result).toMatchObject({
      exit_code: 4,
      stdout: { text: `hi\n${dir}\n` },
      containment: 'bwrap',
      survivors: [],
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(existsSync(join(dir, 'survived'))).toBe(false);
  });

  it('lets the command end in good order at the timeout', async () => {
    const result = await run(`trap 'echo cleaned up; exit 7' TERM; sleep 300 & wait`, {
      timeoutSeconds: 0.7,
      containment: 'bwrap',
    });
    expect(result).toMatchObject({
      exit_code: 7,
      timed_out: true,
      stdout: { text: 'cleaned up\n' },
      survivors: [],
    });
  });

  it('kills what does not', async () => {
    const result = await run(`trap '' TERM; while :; do sleep 0.1; done`, {
      timeoutSeconds: 0.5,
      containment: 'bwrap',
    });
    expect(result).toMatchObject({ timed_out: true, containment: 'bwrap', survivors: [] });
  });
});

const pidIn = (file: string) => Number.parseInt(readFileSync(join(dir, file), 'utf8'), 10);

/** `kill -0`, but for a process that has ended and is not reaped yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
