import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processTable } from '../../src/host/commands/process-tree.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { ASKED, answer, enter, openKairos, resumeArguments, runIdIn } from '../support/kairos-terminal.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolWith } from '../support/protocols.ts';
import { closeTerminals, KEYS, type Terminal } from '../support/pty.ts';
import { protocolFile } from '../support/run.ts';

/** Ctrl-C and signals in the middle of runs. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

/** Children in every way there is. */
const CHILDREN = [
  'sleep 300 & echo $! >> pids',
  '(sleep 300 & echo $! >> pids; wait) & echo $! >> pids',
  'setsid sleep 300 & echo $! >> pids',
  'nohup sleep 300 > /dev/null 2>&1 & echo $! >> pids',
];
const STUBBORN = 'sh -c "trap \'\' TERM INT HUP; sleep 300" & echo $! >> pids';
const CLOSING = 'It was stopped once, and went well after that.';

/** A run in the middle of a command that waits for its children until `ready` exists. */
async function startFamily(children = CHILDREN): Promise<Terminal> {
  const cmd = [
    'test -e ready && exit 0',
    'echo $$ >> pids',
    ...children,
    `until test "$(wc -l < pids)" -eq ${children.length + 2}; do sleep 0.05; done`,
    'echo settled',
    'wait',
  ].join('\n');
  await protocolFile(
    home,
    protocolWith({ proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 120 } } }),
  );
  const terminal = openKairos(home, ['run', './protocol.md']);
  await answer(terminal, ASKED.trust, 'y');
  await answer(terminal, ASKED.run, 'r');
  // Only the output: the command itself has been shown before.
  await terminal.waitFor(/\nsettled/);
  expect(living()).toHaveLength(children.length + 2);
  return terminal;
}

function living(): number[] {
  const pids = readFileSync(join(home.work, 'pids'), 'utf8').trim().split('\n').map(Number);
  const running = new Set(processTable().map(({ pid }) => pid));
  return pids.filter((pid) => running.has(pid));
}

const kindsOf = async (runId: string) => (await exportedLedger(home, runId)).entries.map(({ kind }) => kind);

/** An open run whose record says how its command ended, and can be read and checked as far as it goes. */
async function expectOpen(runId: string): Promise<void> {
  const { entries, seal } = await exportedLedger(home, runId);
  expect(seal).toBeNull();
  expect(entries.map(({ kind }) => kind).slice(-2)).toEqual(['command.started', 'command.finished']);
  expect(entries.at(-1)?.data).toMatchObject({ aborted: true, survivors: 0 });
  const { code, objects } = await kairosJson(home, ['verify', runId]);
  expect({ code, status: objects[0]?.status, findings: objects[0]?.findings }).toEqual({
    code: 1,
    status: 'unsealed',
    findings: [],
  });
}

describe.skipIf(process.platform === 'win32')('Ctrl-C', () => {
  it('ends the whole tree of a command and asks; the run can be left and resumed', async () => {
    const terminal = await startFamily([...CHILDREN, STUBBORN]);
    terminal.send(KEYS.ctrlC);
    await terminal.waitFor(ASKED.interrupted);
    expect(living()).toEqual([]);
    enter(terminal, 'a');
    expect((await terminal.exit).exitCode).toBe(4);
    const runId = runIdIn(terminal.screen());
    expect(resumeArguments(terminal.screen())).toEqual(['resume', runId]);
    await expectOpen(runId);

    writeFileSync(join(home.work, 'ready'), '');
    const resumed = openKairos(home, resumeArguments(terminal.screen()));
    await answer(resumed, ASKED.run, 'r');
    await answer(resumed, ASKED.closing, CLOSING);
    expect((await resumed.exit).exitCode).toBe(0);
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
    // Nobody's failure: what was stopped by hand is no attempt that failed.
    expect(await kindsOf(runId)).not.toContain('proof.rejected');
  });

  it('twice ends with 130 at the menu', async () => {
    const terminal = await startFamily();
    terminal.send(KEYS.ctrlC);
    await terminal.waitFor(ASKED.interrupted);
    terminal.send(KEYS.ctrlC);
    expect((await terminal.exit).exitCode).toBe(130);
    expect(living()).toEqual([]);
    expect(resumeArguments(terminal.screen())[0]).toBe('resume');
    await expectOpen(runIdIn(terminal.screen()));
  });

  it('twice ends with 130 while the first is still at work', async () => {
    const terminal = await startFamily([...CHILDREN, STUBBORN]);
    terminal.send(KEYS.ctrlC);
    await delay(200); // two at once are one to the system
    terminal.send(KEYS.ctrlC);
    expect((await terminal.exit).exitCode).toBe(130);
    expect(living()).toEqual([]);
    expect(resumeArguments(terminal.screen())[0]).toBe('resume');
    await expectOpen(runIdIn(terminal.screen()));
  });

  it('belongs to a command that has the terminal', async () => {
    const cmd = 'trap \'echo caught\' INT; echo waiting; read line; echo "read $line"';
    await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell: { cmd, interactive: true } } }),
    );
    const terminal = openKairos(home, ['run', './protocol.md']);
    await answer(terminal, ASKED.trust, 'y');
    await answer(terminal, ASKED.run, 'r');
    await terminal.waitFor('waiting');
    terminal.send(KEYS.ctrlC);
    await terminal.waitFor('caught');
    enter(terminal, 'on');
    await answer(terminal, ASKED.closing, CLOSING);
    expect((await terminal.exit).exitCode).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')('a signal', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s in a command ends with %i and leaves nothing running', async (signal, code) => {
    const terminal = await startFamily();
    terminal.kill(signal);
    expect((await terminal.exit).exitCode).toBe(code);
    expect(living()).toEqual([]);
    expect(resumeArguments(terminal.screen())[0]).toBe('resume');
    await expectOpen(runIdIn(terminal.screen()));
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s at a question ends with %i, and what was proven is kept', async (signal, code) => {
    await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell: { cmd: 'echo once >> once.txt' } } }),
    );
    const terminal = openKairos(home, ['run', './protocol.md']);
    await answer(terminal, ASKED.trust, 'y');
    await answer(terminal, ASKED.run, 'r');
    await terminal.waitFor(ASKED.closing);
    terminal.kill(signal);
    expect((await terminal.exit).exitCode).toBe(code);
    const resumed = openKairos(home, resumeArguments(terminal.screen()));
    await answer(resumed, ASKED.closing, CLOSING);
    expect((await resumed.exit).exitCode).toBe(0);
    expect(readFileSync(join(home.work, 'once.txt'), 'utf8')).toBe('once\n');
    expect(existsSync(join(home.work, 'pids'))).toBe(false);
  });

  it('SIGTERM while a command has the terminal ends both', async () => {
    const cmd = 'echo $$ > pids; echo waiting; read line';
    await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell: { cmd, interactive: true } } }),
    );
    const terminal = openKairos(home, ['run', './protocol.md']);
    await answer(terminal, ASKED.trust, 'y');
    await answer(terminal, ASKED.run, 'r');
    await terminal.waitFor('waiting');
    terminal.kill('SIGTERM');
    expect((await terminal.exit).exitCode).toBe(143);
    expect(living()).toEqual([]);
    expect(resumeArguments(terminal.screen())[0]).toBe('resume');
  });
});
