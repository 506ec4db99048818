import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { escapeForTerminal } from '../../src/base/escape.ts';
import { type CliHome, KAIROS_BIN, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolWith } from '../support/protocols.ts';
import { closeTerminals, KEYS, openTerminal, type Terminal } from '../support/pty.ts';

/** The commands on a terminal, where there is somebody to ask and everything is escaped. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
  writeFileSync(join(home.work, 'protocol.md'), PROTOCOL);
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

const PROTOCOL = protocolWith(
  { proof_of_work: { type: 'shell', shell: { cmd: 'echo hi' } } },
  'Say\u200b hi',
);

function open(args: string[], env: Record<string, string> = {}): Terminal {
  const own = Object.fromEntries(Object.entries(home.env).map(([name, value]) => [name, value ?? '']));
  return openTerminal(process.execPath, {
    args: [KAIROS_BIN, ...args],
    cwd: home.work,
    env: { ...own, ...env },
  });
}
const trusted = async () => (await kairosJson(home, ['trust', '--list'])).objects[0]?.trusted;

describe.skipIf(process.platform === 'win32')('on a terminal', () => {
  it('trust is given by a person who has seen everything', async () => {
    const terminal = open(['trust', './protocol.md']);
    await terminal.waitFor('Allow this content to run on this machine as you?');
    expect(terminal.screen()).toContain('Say\\u{200b} hi');
    expect(terminal.screen()).toContain('echo hi');
    terminal.send(`y${KEYS.enter}`);
    await terminal.waitFor(/trusted {2}[0-9a-f]{64}/);
    expect((await terminal.exit).exitCode).toBe(0);
    expect(await trusted()).toMatchObject([{ slug: 'say-hi' }]);
  });

  it.each([
    ['no', `n${KEYS.enter}`, 1],
    ['nothing', KEYS.enter, 1],
    ['the end of input', KEYS.ctrlD, 1],
    ['Ctrl-C', KEYS.ctrlC, 130],
  ])('trust is not given by %s', async (_name, keys, code) => {
    const terminal = open(['trust', './protocol.md']);
    await terminal.waitFor('Allow this content to run on this machine as you?');
    terminal.send(keys);
    expect((await terminal.exit).exitCode).toBe(code);
    expect(await trusted()).toEqual([]);
  });

  it('trust is asked in plain lines on a simple terminal, and not at all without one', async () => {
    const plain = open(['trust', './protocol.md'], { TERM: 'dumb' });
    await plain.waitFor('Allow this content to run on this machine as you?');
    plain.send(`yes${KEYS.enter}`);
    expect((await plain.exit).exitCode).toBe(0);
    await kairos(home, ['trust', 'say-hi', '--revoke']);
    const nobody = open(['trust', './protocol.md'], { CI: 'true' });
    expect((await nobody.exit).exitCode).toBe(2);
    expect(await trusted()).toEqual([]);
  });

  it('documents and records are escaped, which in a pipe they are not', async () => {
    const { stdout } = await kairos(home, ['mint', 'protocol.md']);
    const uri = /kairos:\/\/mem\/\S+/.exec(stdout)![0];
    expect((await kairos(home, ['dump', 'say-hi'])).stdout).toContain('\u200b');
    const run = (await kairosJson(home, ['begin', uri])).objects[0]?.run_id as string;
    await kairos(home, ['attest', uri, 'failure', 'gone \u200b\u202e', '--run', run]);
    expect((await kairos(home, ['runs', 'export', run])).stdout).toContain('\u200b\u202e');
    for (const args of [
      ['dump', 'say-hi'],
      ['runs', 'export', run],
      ['show', 'say-hi'],
      ['runs', 'show', run],
      ['list', '--json'],
    ]) {
      const terminal = open(args);
      expect((await terminal.exit).exitCode).toBe(0);
      const shown = terminal
        .raw()
        .replace(/\r\n/g, '\n')
        .replace(/\x1b\[[\d;]*m/g, '');
      expect(escapeForTerminal(shown, { keepNewlines: true, keepTabs: true })).toBe(shown);
    }
  });

  it('colours come and go as asked', async () => {
    const colored = async (...args: string[]) => {
      const terminal = open(['show', './protocol.md', ...args]);
      await terminal.exit;
      return terminal.raw().includes('\x1b[');
    };
    expect([await colored(), await colored('--color', 'never')]).toEqual([true, false]);
    expect((await kairos(home, ['show', './protocol.md', '--color', 'always'])).stdout).toContain('\x1b[');
    expect((await kairos(home, ['show', './protocol.md'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(
      '\x1b[',
    );
  });
});
