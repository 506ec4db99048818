import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * How a command's processes are contained. `process-group`: a separate group and session; on Linux, processes
 * that left them are found by mark and ancestors. `bwrap`: also a separate process namespace, which no
 * process can leave. `terminal`: an interactive command shares the terminal's group; its processes are found
 * by mark and ancestors only.
 */
export type Containment = 'process-group' | 'bwrap' | 'terminal';

const BWRAP = ['--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--die-with-parent'];

/** How each interpreter is given a command; `sh` is the system's own. */
const INTERPRETER_ARGS: Readonly<Record<string, readonly [file: string, flag: string]>> = {
  sh: ['/bin/sh', '-c'],
  bash: ['bash', '-c'],
  zsh: ['zsh', '-c'],
  python3: ['python3', '-c'],
  python: ['python3', '-c'],
  node: ['node', '-e'],
  perl: ['perl', '-e'],
  ruby: ['ruby', '-e'],
  pwsh: ['pwsh', '-Command'],
};

/** The program and arguments that run a command by its interpreter, within bubblewrap or not. */
export function shellCommand(
  cmd: string,
  cwd: string,
  wrapped: boolean,
  interpreter = 'sh',
): [file: string, args: string[]] {
  const [program, flag] = INTERPRETER_ARGS[interpreter] ?? [interpreter, '-c'];
  const args = [flag, cmd];
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
