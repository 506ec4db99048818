import { DEFINITIONS } from './commands/index.ts';
import type { CliIo } from './io.ts';
import { runProgram } from './program.ts';

/** The command line with every command. */
export function runAny(argv: readonly string[], io: CliIo): Promise<number> {
  return runProgram(DEFINITIONS, argv, io);
}
