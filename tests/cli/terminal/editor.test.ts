import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createEditor, editorCommand } from '../../../src/cli/terminal/editor.ts';
import { watchSignals } from '../../../src/cli/terminal/interrupt.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kairos editor's-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();

/** An editor: a shell script, with a blank and a quote in its path. */
function editor(script: string) {
  const path = join(folder, `${Math.random()}.sh`);
  writeFileSync(path, script);
  const interrupts = watchSignals(new EventEmitter());
  return createEditor(`sh "${path}"`, {
    env: { ...process.env, TMPDIR: undefined, LOG: join(folder, 'log') },
    interrupts,
  });
}

it.each([
  [{ VISUAL: 'v', EDITOR: 'e' }, 'v'],
  [{ EDITOR: 'code --wait' }, 'code --wait'],
  [{ VISUAL: ' ', EDITOR: 'e' }, 'e'],
  [{ VISUAL: 'v', EDITOR: 'e', TERM: 'dumb' }, 'e'],
  [{ VISUAL: 'v', TERM: 'dumb' }, null],
  [{}, null],
])('reads the editor from %o: %s', (env, expected) => {
  expect(editorCommand(env)).toBe(expected);
});

it("edits a text in a file that other users can't read, and leaves no file behind", async () => {
  const edit = editor(
    'stat -c %a "$1" "$(dirname "$1")" > "$LOG"; echo "$1" >> "$LOG"; printf "more\\r\\n" >> "$1"',
  );
  expect(await edit('first\n', signal)).toEqual({ kind: 'text', text: 'first\nmore' });
  const [fileMode, folderMode, path = ''] = readFileSync(join(folder, 'log'), 'utf8').split('\n');
  expect([fileMode, folderMode]).toEqual(['600', '700']);
  expect(existsSync(path)).toBe(false);
});

it.each([
  ['exit 3', 'The editor ended with 3; its text was not used.'],
  ['kill -9 $$', 'The editor ended with SIGKILL; its text was not used.'],
  ['rm "$1"', expect.stringContaining('The edited text could not be read: ENOENT')],
])('uses no text from an editor that failed: %s', async (script, reason) => {
  expect(await editor(script)('text', signal)).toEqual({ kind: 'failed', reason });
});

it('ends the editor when it is aborted', async () => {
  const controller = new AbortController();
  rmSync(join(folder, 'log'), { force: true });
  const edited = editor('echo $$ > "$LOG.part"; mv "$LOG.part" "$LOG"; exec sleep 60')(
    'text',
    controller.signal,
  );
  await vi.waitUntil(() => existsSync(join(folder, 'log')), { timeout: 60_000 });
  const pid = Number(readFileSync(join(folder, 'log'), 'utf8'));
  controller.abort();
  expect(await edited).toMatchObject({ kind: 'failed' });
  await vi.waitUntil(() => !isRunning(pid), { timeout: 60_000 });
});

it('runs an editor that is a whole shell line', async () => {
  const interrupts = watchSignals(new EventEmitter());
  const edit = createEditor('WORD=typed; add() { printf "$WORD" > "$1"; }; add', {
    env: process.env,
    interrupts,
  });
  expect(await edit('', signal)).toEqual({ kind: 'text', text: 'typed' });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
