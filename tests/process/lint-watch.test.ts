import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, makeHome, startKairos } from '../support/cli.ts';

const CLEAN =
  '# Restart the service\n\n## Do it\n\nNow.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```\n';
const BIDI = CLEAN.replace('Now.', 'N\u202eow.');
const ARGS = ['lint', '.', '--watch', '--format', 'compact', '--rule', 'hidden-character=error'];

let home: CliHome;
let child: ChildProcess | undefined;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => {
  child?.kill('SIGKILL');
  home.remove();
});

const write = (name: string, text: string) => writeFileSync(join(home.work, name), text);

/** What a watching call prints, and a way to wait for the next thing that it says. */
function start() {
  let text = '';
  let read = 0;
  const started = startKairos(home, ARGS);
  child = started;
  const waiting = new Set<() => void>();
  for (const stream of [started.stdout, started.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      for (const look of waiting) look();
    });
  }
  return {
    /** Resolves with all that came until a text that matches. */
    until: (pattern: RegExp) =>
      new Promise<string>((resolve) => {
        const look = () => {
          const match = pattern.exec(text.slice(read));
          if (match === null) return;
          waiting.delete(look);
          const seen = text.slice(read, read + match.index + match[0].length);
          read += seen.length;
          resolve(seen);
        };
        waiting.add(look);
        look();
      }),
    end: (signal: NodeJS.Signals) =>
      new Promise<number | null>((resolve) => {
        started.on('exit', resolve);
        started.kill(signal);
      }),
  };
}

describe('kairos lint --watch', () => {
  it('lints again when a document or its configuration changes, and ends at Ctrl-C', async () => {
    write('a.md', CLEAN);
    const watching = start();
    expect(await watching.until(/Waiting for changes/)).toContain('1 protocol checked.');
    write('a.md', BIDI);
    await watching.until(/a\.md:5:2: error[\s\S]*Waiting for changes/);
    write('b.md', CLEAN);
    write('.kairosignore', 'a.md\n');
    await watching.until(/1 protocol checked, 1 ignored\./);
    expect(await watching.end('SIGINT')).toBe(130);
  });

  it('continues after a failed call, once a call is possible', async () => {
    write('a.md', CLEAN);
    const watching = start();
    await watching.until(/Waiting for changes/);
    write('kairos.config.json', '{');
    await watching.until(/cannot be used[\s\S]*Waiting for changes/);
    write('kairos.config.json', '{}');
    await watching.until(/1 protocol checked\./);
    expect(await watching.end('SIGTERM')).toBe(143);
  });

  it('sees documents in a new folder', async () => {
    write('a.md', CLEAN);
    const watching = start();
    await watching.until(/Waiting for changes/);
    mkdirSync(join(home.work, 'docs'));
    write('docs/b.md', CLEAN);
    await watching.until(/2 protocols checked/);
    expect(await watching.end('SIGINT')).toBe(130);
  });

  it('ends when the first call fails', async () => {
    const watching = start();
    expect(await watching.until(/hint/)).toContain('contains no markdown file');
    const code = await new Promise((resolve) =>
      child?.exitCode === null ? child.on('exit', resolve) : resolve(child?.exitCode),
    );
    expect(code).toBe(2);
  });
});
