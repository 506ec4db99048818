import { serveDefinition } from './commands/serve/command.ts';
import type { CliIo } from './io.ts';
import { runProgram } from './program.ts';

/** The command line with `kairos serve` alone. The build puts it and what a server loads first into one file (scripts/build.mjs). */
export function runServe(argv: readonly string[], io: CliIo): Promise<number> {
  return runProgram([serveDefinition], argv, io);
}
