import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interrupts } from './interrupt.ts';

export type Edited = { kind: 'text'; text: string } | { kind: 'failed'; reason: string };

/** Lets the user edit a text. The signal ends the editor. */
export type EditText = (initial: string, signal: AbortSignal) => Promise<Edited>;

/**
 * The user's editor as a shell command: VISUAL, then EDITOR; a dumb terminal can only show EDITOR. Null when
 * neither is set.
 */
export function editorCommand(env: NodeJS.ProcessEnv): string | null {
  const visual = env.TERM === 'dumb' ? undefined : env.VISUAL;
  return visual?.trim() || env.EDITOR?.trim() || null;
}

/**
 * Opens the editor on a file of mode 0600 in a separate directory, and returns the file's text without the
 * last line break. The editor owns the terminal, and Ctrl-C with it.
 */
export function createEditor(
  command: string,
  { env, interrupts }: { env: NodeJS.ProcessEnv; interrupts: Interrupts },
): EditText {
  return async (initial, signal) => {
    const directory = await mkdtemp(join(tmpdir(), 'kairos-'));
    try {
      const file = join(directory, 'answer.md');
      await writeFile(file, initial, { mode: 0o600, flag: 'wx' });
      const problem = await interrupts.handOver(() => runEditor(command, file, env, signal));
      if (problem !== null) return { kind: 'failed', reason: problem };
      return { kind: 'text', text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') };
    } catch (error) {
      return { kind: 'failed', reason: `The edited text could not be read: ${(error as Error).message}` };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
}

/**
 * Null when the editor ended well, else the reason. EDITOR may contain arguments, so a shell parses it.
 * `exec` replaces that shell for a simple command, so that a signal reaches the editor itself.
 */
function runEditor(
  command: string,
  file: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | null> {
  const [program, args] =
    process.platform === 'win32'
      ? [`${command} "${file}"`, []]
      : ['/bin/sh', ['-c', `${/[;&|<>()=]/.test(command) ? '' : 'exec '}${command} "$@"`, 'kairos', file]];
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      stdio: 'inherit',
      shell: process.platform === 'win32',
      signal,
    });
    child.on('error', (error) => resolve(`The editor could not be run: ${error.message}`));
    child.on('exit', (code, killedBy) => {
      if (code === 0) resolve(null);
      else resolve(`The editor ended with ${code ?? killedBy}; its text was not used.`);
    });
  });
}
