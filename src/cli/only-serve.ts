// What `kairos serve` loads on its way to the first answer. The build puts all of it into one piece (scripts/build.mjs).
import './commands/serve/handler.ts';
import '../mcp/server/stdio.ts';
import '../store/sqlite/store.ts';
import { serveDefinition } from './commands/serve/command.ts';
import type { CliIo } from './io.ts';
import { runProgram } from './program.ts';

/** The command line with `kairos serve` alone, so that an agent waits for it as shortly as can be. */
export function runServe(argv: readonly string[], io: CliIo): Promise<number> {
  return runProgram([serveDefinition], argv, io);
}
