import type { ParsedScript, SimpleCommand } from './commands.ts';

/** Options of the shell that decide what a failure does. */
export interface SetOptions {
  /** `-e`: the first command that fails ends the script. */
  errexit: boolean;
  /** A pipe fails when any of its commands does. */
  pipefail: boolean;
}

/** What a script sets with `set`, and what its shell was started with if the script is an argument. */
export function setOptions({ commands }: ParsedScript, shell: SimpleCommand | null = null): SetOptions {
  const options = { errexit: false, pipefail: false };
  if (shell !== null) read(shell.args, options);
  for (const { name, args } of commands) if (name === 'set') read(args, options);
  return options;
}

function read(args: string[], options: SetOptions): void {
  for (const [at, arg] of args.entries()) {
    if (/^-[a-zA-Z]*e/.test(arg)) options.errexit = true;
    if (!/^-[a-zA-Z]*o$/.test(arg)) continue;
    if (args[at + 1] === 'errexit') options.errexit = true;
    if (args[at + 1] === 'pipefail') options.pipefail = true;
  }
}
