import { afterEach, expect, it } from 'vitest';
import { closeTerminals, KEYS, openTerminal } from '../support/pty.ts';

afterEach(closeTerminals);

const shell = (script: string, options = {}) => openTerminal('/bin/sh', { args: ['-c', script], ...options });

it('gives a program a terminal with a size that can change', async () => {
  const terminal = shell('tty -s && echo is a tty; stty size; read x; stty size; echo "$TERM"', {
    cols: 70,
    rows: 20,
  });
  await terminal.waitFor('is a tty');
  await terminal.waitFor('20 70');
  terminal.resize(100, 30);
  terminal.send(KEYS.enter);
  await terminal.waitFor('30 100');
  expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
  expect(terminal.screen()).toBe('is a tty\n20 70\n\n30 100\nxterm-256color');
});

it('matches each part of the output once, with any control sequences in it', async () => {
  const terminal = shell("printf '\\033[1mready\\033[0m? \\033[31mready\\033[0m!'");
  expect(await terminal.waitFor(/r\w+/)).toBe('ready');
  expect(await terminal.waitFor('ready!')).toBe('ready!');
  await expect(terminal.waitFor('ready')).rejects.toThrow(
    'The program ended before it wrote ready; the screen:\nready? ready!',
  );
  expect(terminal.raw()).toContain('\x1b[1m');
});

it('gives up on a silent program, and can end it', async () => {
  const terminal = shell('echo started; exec sleep 60');
  await terminal.waitFor('started');
  await expect(terminal.waitFor('more', 50)).rejects.toThrow('Nothing came for 50 ms while waiting for more');
  terminal.kill('SIGTERM');
  expect(await terminal.exit).toEqual({ exitCode: 0, signal: 15 });
});
