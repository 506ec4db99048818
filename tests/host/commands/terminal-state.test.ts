import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleScript } from './bundle-script.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'kairos-pty-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

it('a terminal that a stopped command left in raw mode is put back in order', async () => {
  const script = await bundleScript(
    join(dir, 'raw.mjs'),
    `import { spawnSync } from 'node:child_process';
    import { makeRedactor } from './host/secrets/redact.ts';
    import { runCommand } from './host/commands/run-command.ts';
    const env = { PATH: process.env.PATH };
    const redact = makeRedactor({});
    const cmd = 'stty raw -echo; sleep 300';
    const result = await runCommand({ cmd, cwd: '/', env, timeoutSeconds: 1, interactive: true, redact });
    const { stdout } = spawnSync('stty', ['-a'], { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' });
    console.log([result.timed_out, result.containment, ...stdout.match(/-?icanon|-?echo\\b/g)].join(' '));`,
  );
  const terminal = spawn(process.execPath, [script], { cols: 80, rows: 24 });
  let shown = '';
  terminal.onData((data) => {
    shown += data;
  });
  await new Promise((resolve) => terminal.onExit(resolve));
  expect(shown.trim()).toBe('true terminal icanon echo');
});
