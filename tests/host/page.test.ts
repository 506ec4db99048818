import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desktop, openInBrowser } from '../../src/host/page.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-openers-'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program on PATH that notes its folder and arguments, and then does what is given. */
function opener(name: string, then = 'exit 0'): void {
  const path = join(folder, 'bin', name);
  writeFileSync(path, `#!/bin/sh\necho "${name} $(pwd) $*" >> '${folder}/calls'\n${then}\n`);
  chmodSync(path, 0o755);
}

const calls = () =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
const LINK = 'http://127.0.0.1:4000/enter?link=a&b=c';
const LINUX: Desktop = { platform: 'linux', isWsl: false };
const WSL: Desktop = { platform: 'linux', isWsl: true };

describe('openInBrowser', () => {
  // Tests run where no browser is to be opened: only the fakes are on PATH.
  const open = (target: string, desktop: Desktop) =>
    openInBrowser(target, { PATH: join(folder, 'bin') }, desktop);
  const here = process.cwd();

  it.each<[string, Desktop, string[], string]>([
    ['Linux', LINUX, ['xdg-open', 'wslview', 'explorer.exe', 'open'], 'xdg-open'],
    ['macOS', { platform: 'darwin', isWsl: false }, ['xdg-open', 'open'], 'open'],
    ['Windows', { platform: 'win32', isWsl: false }, ['xdg-open', 'explorer.exe'], 'explorer.exe'],
    ['WSL', WSL, ['xdg-open', 'wslview', 'explorer.exe'], 'wslview'],
    ['WSL without wslview', WSL, ['xdg-open', 'explorer.exe'], 'xdg-open'],
    ['WSL with Explorer alone', WSL, ['explorer.exe'], 'explorer.exe'],
  ])('uses the program of %s', async (_, desktop, present, used) => {
    for (const name of present) opener(name);
    expect(await open(LINK, desktop)).toBeNull();
    expect(calls()).toEqual([`${used} ${here} ${LINK}`]);
  });

  it('gives Explorer a file by its name, and ignores its exit code', async () => {
    opener('explorer.exe', 'exit 1');
    expect(await open(join(folder, 'my report.html'), WSL)).toBeNull();
    expect(calls()).toEqual([`explorer.exe ${folder} my report.html`]);
  });

  it('tries the next program where one fails', async () => {
    opener('wslview', 'exit 3');
    opener('xdg-open');
    expect(await open(LINK, WSL)).toBeNull();
    expect(calls().map((line) => line.split(' ')[0])).toEqual(['wslview', 'xdg-open']);
  });

  it('returns why nothing was opened', async () => {
    expect(await open(LINK, LINUX)).toBe('No program opens pages here.');
    opener('xdg-open', 'exit 3');
    expect(await open(LINK, LINUX)).toBe("xdg-open can't open it (exit code 3).");
    opener('xdg-open', 'kill -TERM $$');
    expect(await open(LINK, LINUX)).toBe("xdg-open can't open it (SIGTERM).");
    chmodSync(join(folder, 'bin/xdg-open'), 0o644);
    expect(await open(LINK, LINUX)).toBe("xdg-open can't open it (EACCES).");
  });

  it('does not wait for a program that shows the page itself', async () => {
    opener('xdg-open', 'exec /bin/sleep 3');
    expect(await open(LINK, LINUX)).toBeNull();
  });
});
