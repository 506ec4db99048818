import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { KAIROS_BIN, makeHome } from '../../support/cli.ts';

const VSCODE = fileURLToPath(new URL('../../../editors/vscode/', import.meta.url));
const CHROMIUM = process.env.KAIROS_TEST_CHROMIUM ?? '/usr/bin/chromium';
/** The command of code-server, its words separated by blanks: `NODE .../code-server/out/node/entry.js`. */
const SERVER = process.env.KAIROS_TEST_CODE_SERVER?.split(' ');

const DOCUMENT = `# Drain a host

## Drain it

\`\`\`sh proof timeout=5m 
drain --host one
\`\`\`

## Look at it

\`\`\`json
{"challenge": {"type": "comment", "comment": {"min_length": 20}}}
\`\`\`
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it.skipIf(SERVER === undefined || !existsSync(CHROMIUM))(
  'serves Visual Studio Code with the extension that ships for it',
  async () => {
    const home = makeHome();
    const folder = join(home.work, 'protocols');
    const file = join(folder, 'drain.md');
    const extension = join(home.work, 'extension');
    const data = join(home.work, 'data');
    const settings = { 'kairos.path': join(home.work, 'kairos'), 'security.workspace.trust.enabled': false };
    for (const name of ['User', 'Machine']) {
      mkdirSync(join(data, name), { recursive: true });
      writeFileSync(join(data, name, 'settings.json'), JSON.stringify(settings));
    }
    const start = `#!/bin/sh\nexec '${process.execPath}' '${KAIROS_BIN}' "$@"\n`;
    writeFileSync(join(home.work, 'kairos'), start, { mode: 0o755 });
    mkdirSync(folder);
    writeFileSync(file, DOCUMENT);
    cpSync(VSCODE, extension, { recursive: true });
    execFileSync('npm', ['run', 'package'], { cwd: extension, stdio: 'pipe' });
    const [program, ...words] = SERVER!;
    const shared = [...words, '--user-data-dir', data, '--extensions-dir', join(home.work, 'extensions')];
    const options = { cwd: home.work, env: home.env, stdio: 'pipe' } as const;
    const vsix = join(extension, 'kairos-protocols.vsix');
    execFileSync(program!, [...shared, '--install-extension', vsix], options);
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const server = spawn(program!, [...shared, '--auth', 'none', '--bind-addr', address], options);
    await new Promise<void>((resolve) =>
      server.stdout.on('data', (piece: Buffer) => {
        if (piece.includes('listening on http')) resolve();
      }),
    );
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      page.setDefaultTimeout(60_000);
      const { keyboard } = page;
      const goTo = async (line: number, column: number) => {
        await keyboard.press('Control+g');
        await page.locator('.quick-input-widget input:visible').first().fill(`:${line}:${column}`);
        await keyboard.press('Enter');
        await page.getByText(`Ln ${line}, Col ${column}`).waitFor();
      };
      await page.goto(`http://${address}/?folder=${folder}`);
      await page.locator('.explorer-viewlet').getByText('drain.md').dblclick();
      await page.locator('.squiggly-warning').first().waitFor();
      await page.getByText('Never run').waitFor();
      await page.locator('.monaco-editor .view-line').first().click();
      await goTo(5, 14);
      await keyboard.press('Control+k');
      await keyboard.press('Control+i');
      await page.locator('.monaco-hover:visible').getByText('Time limit in seconds').waitFor();
      await keyboard.press('Escape');
      await goTo(5, 24);
      await keyboard.press('Control+Space');
      const words = page.locator('.suggest-widget .monaco-list-row');
      await words.getByText('workdir=').waitFor();
      expect((await words.allInnerTexts()).slice(0, 3)).toEqual(['env=', 'exit=', 'workdir=']);
      await keyboard.press('Escape');
      await goTo(12, 5);
      await keyboard.press('Control+.');
      await page.locator('.action-widget').getByText('Fix legacy-challenge-key').waitFor();
      await keyboard.press('Escape');
      await keyboard.press('Control+Shift+i');
      await page.getByText('proof_of_work').first().waitFor();
      await keyboard.press('Control+s');
      await expect
        .poll(() => readFileSync(file, 'utf8'), { timeout: 60_000 })
        .toContain('  "proof_of_work": {\n    "type": "comment"');
    } finally {
      await browser.close();
      server.kill();
      home.remove();
    }
  },
  300_000,
);
