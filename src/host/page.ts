import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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

const OPENERS: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

/** Hands a file or address to the desktop. False where there is no program for that. */
export function openInBrowser(target: string): Promise<boolean> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((done) => {
    const child = spawn(command, [...args, target], { detached: true, stdio: 'ignore' });
    child.once('error', () => done(false));
    child.once('spawn', () => {
      child.unref();
      done(true);
    });
  });
}
