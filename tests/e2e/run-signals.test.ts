import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, makeHome, startKairos } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolWith } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
let running: ChildProcess | null = null;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => {
  running?.kill('SIGKILL');
  running = null;
  home.remove();
});

const CLOSING = 'The step was carried out and looked right.';

/** `kairos run` of one command, from the moment at which the command runs; without a terminal. */
async function start(
  cmd: string,
): Promise<{ child: ChildProcess; ended: Promise<number | null>; pid: number }> {
  const shell = { cmd: `echo $$ > pid; ${cmd}`, timeout_seconds: 20 };
  const { path, digest } = await protocolFile(
    home,
    protocolWith({ proof_of_work: { type: 'shell', shell } }),
  );
  const answers = answersFile(home, { closing: CLOSING });
  const child = startKairos(home, ['run', path, '--yes', '--answers', answers, '--trust', digest]);
  running = child;
  child.stdout?.resume();
  child.stderr?.resume();
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  await until(() => pidOf() > 0);
  return { child, ended, pid: pidOf() };
}

function pidOf(): number {
  const path = join(home.work, 'pid');
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
}

/** The state letter of a process; null when there is none. */
function stateOf(pid: number): string | null {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

async function onlyRun(): Promise<string> {
  const { stdout } = await kairos(home, ['runs', '--json']);
  return (JSON.parse(stdout) as { runs: { run_id: string }[] }).runs[0]!.run_id;
}

const finished = async () =>
  (await exportedLedger(home, await onlyRun())).entries.find(({ kind }) => kind === 'command.finished')?.data;

describe.runIf(process.platform === 'linux')('a signal while a command runs', () => {
  it.each(['SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGXCPU', 'SIGABRT', 'SIGINT'] as const)(
    '%s ends the command first, then the run',
    async (signal) => {
      const { child, ended, pid } = await start('sleep 300; true');
      child.kill(signal);
      expect(await ended).toBe(128 + constants.signals[signal]);
      expect(stateOf(pid)).toBeNull();
      expect(await finished()).toMatchObject({ aborted: true });
    },
  );

  it('SIGTSTP suspends both, and the time does not count', async () => {
    const { child, ended, pid } = await start('sleep 1; sleep 1; true');
    child.kill('SIGTSTP');
    await until(() => stateOf(pid) === 'T' && stateOf(child.pid!) === 'T');
    await delay(1500);
    child.kill('SIGCONT');
    expect(await ended).toBe(0);
    const { suspended_ms } = (await finished()) as { suspended_ms: number };
    expect(suspended_ms).toBeGreaterThanOrEqual(1400);
  });
});

describe('a command that a signal killed', () => {
  it.each(['ABRT', 'KILL', 'TERM'] as const)('proves no exit code: %s', async (name) => {
    const exit = 128 + constants.signals[`SIG${name}`];
    const shell = { cmd: `kill -${name} $$`, timeout_seconds: 5, expect_exit_code: exit };
    const { path, digest } = await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell } }),
    );
    const answers = answersFile(home, { closing: CLOSING });
    const run = await kairos(home, ['run', path, '--yes', '--answers', answers, '--trust', digest]);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain(`ended by SIG${name}`);
  });
});

describe('a proof that is refused', () => {
  it('keeps the output, the pattern and the reason', async () => {
    const shell = { cmd: 'echo HEALTH=DEGRADED', timeout_seconds: 5, stdout_matches: 'HEALTH=OK' };
    const { path, digest } = await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell } }),
    );
    const answers = answersFile(home, { closing: CLOSING });
    expect((await kairos(home, ['run', path, '--yes', '--answers', answers, '--trust', digest])).code).toBe(
      1,
    );
    const runId = await onlyRun();
    const rejected = (await exportedLedger(home, runId)).entries.find(
      ({ kind }) => kind === 'proof.rejected',
    );
    expect(rejected?.data).toMatchObject({
      shell: { exit_code: 0, stdout: 'HEALTH=DEGRADED\n' },
      wanted: { stdout_matches: 'HEALTH=OK' },
      message: expect.stringContaining('not found'),
    });
    const { stdout } = await kairos(home, ['runs', 'show', runId]);
    for (const words of ['HEALTH=DEGRADED', 'HEALTH=OK', 'not found']) expect(stdout).toContain(words);
  });

  it('shows the output of a command with another exit code', async () => {
    const shell = { cmd: 'echo found something', timeout_seconds: 5, expect_exit_code: 1 };
    const { path, digest } = await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell } }),
    );
    const answers = answersFile(home, { closing: CLOSING });
    await kairos(home, ['run', path, '--yes', '--answers', answers, '--trust', digest]);
    const { stdout } = await kairos(home, ['runs', 'show', await onlyRun()]);
    for (const words of ['found something', 'exit code 0 after', '1 is expected'])
      expect(stdout).toContain(words);
  });
});

describe('a command that cannot be started', () => {
  it('has ended, with the error, and leaves no unknown outcome', async () => {
    const shell = { cmd: `: ${'x'.repeat(200_000)}`, timeout_seconds: 5 };
    const { path, digest } = await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell } }),
    );
    const answers = answersFile(home, { closing: CLOSING });
    const run = await kairos(home, ['run', path, '--yes', '--answers', answers, '--trust', digest]);
    expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('could not be started') });
    expect(await finished()).toMatchObject({ error: expect.stringContaining('E2BIG') });
    const { stdout } = await kairos(home, ['runs', 'show', await onlyRun(), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ in_doubt: null });
  });
});
