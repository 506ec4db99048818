import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { interpreterNamed } from '../../protocol/block/fence.ts';
import { COMMAND_FLAG } from '../../protocol/terms.ts';

/**
 * How a command's processes are contained. `process-group`: a separate group and session; on Linux, processes
 * that left them are found by mark and ancestors. `bwrap`: also a separate process namespace, which no
 * process can leave. `terminal`: an interactive command shares the terminal's group; its processes are found
 * by mark and ancestors only.
 */
export type Containment = 'process-group' | 'bwrap' | 'terminal';

const BWRAP = ['--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--die-with-parent'];

/** The program and arguments that run a command by its interpreter, within bubblewrap or not. */
export function shellCommand(
  cmd: string,
  cwd: string,
  wrapped: boolean,
  interpreter = 'sh',
): [file: string, args: string[]] {
  const name = interpreterNamed(interpreter) ?? interpreter;
  const program = name === 'sh' ? '/bin/sh' : name;
  const args = [COMMAND_FLAG[name] ?? '-c', cmd];
  return wrapped ? ['bwrap', [...BWRAP, '--chdir', cwd, '--', program, ...args]] : [program, args];
}

let usable: Promise<boolean> | undefined;

/** True when bubblewrap is installed and the system lets it make a process namespace. Tried once. */
export function bwrapUsable(): Promise<boolean> {
  usable ??= promisify(execFile)('bwrap', [...BWRAP, '--', '/bin/sh', '-c', ':'], { timeout: 5000 }).then(
    () => true,
    () => false,
  );
  return usable;
}
