import { lspDefinition } from './commands/authoring/command.ts';
import type { CliIo } from './io.ts';
import { runProgram } from './program.ts';

/** The command line with `kairos lsp` alone. The build puts it and what a first answer needs into one file (scripts/build.mjs). */
export function runLsp(argv: readonly string[], io: CliIo): Promise<number> {
  return runProgram([lspDefinition], argv, io);
}
