import type { CliIo } from './io.ts';

/** The last V8 on which our flags were tried (Node 24). V8 prints an error for a flag that it does not know. */
const LAST_TRIED = 13;

/** The world of this process, for a call of `main` that has the process to itself. */
export function processIo(): CliIo {
  return {
    // Lazy: opening stdin takes longer than most commands.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: workingDirectory(),
    now: () => Date.now(),
    signals: process,
    setEngineFlags: (flags) => {
      if (Number.parseInt(process.versions.v8, 10) > LAST_TRIED) return;
      const { setFlagsFromString } = process.getBuiltinModule('node:v8');
      for (const flag of flags) setFlagsFromString(flag);
    },
  };
}

/** A folder that was deleted meanwhile has no path any more; the shell remembers the one it had. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD || '/';
  }
}
