import { VERSION } from '../base/package-root.ts';
import { calledAs } from '../host/called-as.ts';
import type { HookCommand } from './commands/hold/hook.ts';
import { fastPathArgs } from './commands/lint/plain-args.ts';
import { type CliIo, inFolders, type NamedFolders, writeShort } from './io.ts';

/**
 * The command line: arguments in, exit code out. Writes to the streams that it is given and never ends the process.
 * The version, a simple call of the linter, a server of agents or editors and a hook load only their own code.
 */
export async function main(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    writeShort(io, `${VERSION}\n`);
    return 0;
  }
  const plain = argv[0] === 'lint' ? fastPathArgs(argv.slice(1)) : null;
  if (plain !== null) {
    const { lintFastPath } = await import('./commands/lint/plain-call.ts');
    return lintFastPath(plain, io);
  }
  if (argv[0] === 'serve') {
    const { runServe } = await import('./only-serve.ts');
    return runServe(argv, io);
  }
  if (argv[0] === 'lsp') {
    const { runLsp } = await import('./only-lsp.ts');
    return runLsp(argv, io);
  }
  const hook = argv[0] === 'hook' ? hookArgs(argv.slice(1)) : null;
  if (hook !== null) {
    const { runHook } = await import('./commands/hold/hook.ts');
    return runHook({ ...hook.command, io: inFolders(io, hook.folders) });
  }
  const { runAny } = await import('./every-command.ts');
  return runAny(argv, io);
}

/** The arguments of a hook as `install` writes them; null for others, which the whole command line reads. */
function hookArgs([client = '', ...rest]: readonly string[]): {
  command: HookCommand;
  folders: NamedFolders;
} | null {
  const values: Record<string, string> = {};
  for (let at = 0; at < rest.length; at += 2) {
    const [, name] = /^--(event|store|space|config-dir|data-dir)$/.exec(rest[at]!) ?? [];
    const value = rest[at + 1];
    if (name === undefined || !value) return null;
    values[name] = value;
  }
  const { event, 'config-dir': configDir, 'data-dir': dataDir, ...options } = values;
  if (!/^(?:claude-code|codex|gemini|copilot|cursor|opencode)$/.test(client)) return null;
  return {
    command: {
      client: client as HookCommand['client'],
      options: { ...options, color: 'never' },
      ...(event === undefined ? {} : { event }),
    },
    folders: {
      ...(configDir === undefined ? {} : { configDir }),
      ...(dataDir === undefined ? {} : { dataDir }),
    },
  };
}

/** The last V8 on which these flags were tried (Node 24). V8 prints an error for a flag that it does not know. */
const LAST_TRIED = 13;

/** Runs this process with its own arguments, streams and exit code. `called`: the words that start it again. */
export async function runProcess(called?: () => readonly string[]): Promise<void> {
  const opened = { streams: false };
  const io = processIo(opened);
  if (called !== undefined) io.calledAs = called;
  process.exitCode = await main(process.argv.slice(2), io);
  // Without streams, nothing is left to do. Unread output would keep the process alive; a reader that waits has read all by now.
  if (!opened.streams || process.stdout.writableLength > 0) process.exit();
}

/** The world of this process, for a call of `main` that has the process to itself. */
function processIo(opened: { streams: boolean }): CliIo {
  return {
    // Lazy: opening stdin takes longer than most commands.
    get stdin() {
      return process.stdin;
    },
    readNow,
    get stdout() {
      opened.streams = true;
      return process.stdout;
    },
    writeNow,
    get stderr() {
      opened.streams = true;
      return process.stderr;
    },
    env: process.env,
    cwd: workingDirectory(),
    now: () => Date.now(),
    signals: process,
    calledAs: () => calledAs({ argv: process.argv, execPath: process.execPath, env: process.env }),
    setEngineFlags: (flags) => {
      if (Number.parseInt(process.versions.v8, 10) > LAST_TRIED) return;
      const { setFlagsFromString } = process.getBuiltinModule('node:v8');
      for (const flag of flags) setFlagsFromString(flag);
    },
  };
}

/** Reads standard input without a stream, which takes longer than a hook may. A pipe that is not ready ends it early. */
function readNow(): { chunks: Buffer[]; ended: boolean } {
  const { readSync } = process.getBuiltinModule('node:fs');
  const chunks: Buffer[] = [];
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(1 << 16);
      const length = readSync(0, chunk);
      if (length === 0) return { chunks, ended: true };
      chunks.push(chunk.subarray(0, length));
    }
  } catch {
    return { chunks, ended: false };
  }
}

/** Writes to standard output without a stream. A pipe that is full is tried again. */
function writeNow(text: string): boolean {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  return true;
}

const RETRY_MS = 5;

/** The path of a folder that was deleted meanwhile is unknown to Node.js; the shell still has it in PWD. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD || '/';
  }
}
