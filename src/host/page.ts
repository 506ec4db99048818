import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { basename, dirname, isAbsolute } from 'node:path';
import { packageFile } from '../base/package-root.ts';
import type { PageAssets } from '../report/page.ts';

/** The style and script that come with kairos. */
export async function loadPageAssets(): Promise<PageAssets> {
  const [css = '', script = '', viewScript = ''] = await Promise.all(
    ['report.css', 'report.js', 'view.js'].map((file) =>
      readFile(packageFile(`assets/report/${file}`), 'utf8'),
    ),
  );
  return { css, script, viewScript };
}

/** What decides which program opens a page. */
export interface Desktop {
  platform: NodeJS.Platform;
  /** Linux in Windows: the browser is on the other side. */
  isWsl: boolean;
}

interface Opener {
  command: string;
  /** Its exit code isn't used: Explorer returns 1 after opening a page. */
  isSilent?: true;
}

const EXPLORER: Opener = { command: 'explorer.exe', isSilent: true };

function openersOf({ platform, isWsl }: Desktop): Opener[] {
  if (platform === 'darwin') return [{ command: 'open' }];
  if (platform === 'win32') return [EXPLORER];
  return isWsl ? [{ command: 'wslview' }, { command: 'xdg-open' }, EXPLORER] : [{ command: 'xdg-open' }];
}

const thisDesktop = (env: NodeJS.ProcessEnv): Desktop => ({
  platform: process.platform,
  isWsl: env.WSL_DISTRO_NAME !== undefined || /microsoft/i.test(release()),
});

/** An opener that still runs after this time shows the page itself. */
const SETTLED_MS = 1_500;

/**
 * Opens a file or address with the first program of the desktop that can. Null: it is open. Otherwise why it isn't, as a
 * sentence.
 */
export async function openInBrowser(
  target: string,
  env: NodeJS.ProcessEnv,
  desktop = thisDesktop(env),
): Promise<string | null> {
  let reason: string | null = null;
  for (const opener of openersOf(desktop)) {
    const ended = await startOpener(opener, target, env);
    if (ended === null) return null;
    if (ended !== 'missing') reason ??= `${opener.command} can't open it (${ended}).`;
  }
  return reason ?? 'No program opens pages here.';
}

/** Null: it opened the page. */
function startOpener(
  { command, isSilent }: Opener,
  target: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  // From its folder, Explorer finds a file of the other side by its name.
  const place = isAbsolute(target) ? { name: basename(target), cwd: dirname(target) } : { name: target };
  const { name, ...options } = isSilent === true ? place : { name: target };
  return new Promise((done) => {
    const child = spawn(command, [name], { ...options, env, detached: true, stdio: 'ignore' });
    const settle = (failure: string | null) => {
      clearTimeout(timer);
      done(failure);
    };
    const timer = setTimeout(settle, SETTLED_MS, null);
    child.once('error', ({ code }: NodeJS.ErrnoException) =>
      settle(code === 'ENOENT' ? 'missing' : `${code}`),
    );
    child.once('exit', (code, signal) => {
      settle(isSilent === true || code === 0 ? null : code === null ? `${signal}` : `exit code ${code}`);
    });
    child.unref();
  });
}
