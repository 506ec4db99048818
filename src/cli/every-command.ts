import type { Definition } from './command.ts';
import {
  fmtDefinition,
  importDefinition,
  migrateDefinition,
  newDefinition,
} from './commands/authoring/command.ts';
import { completionDefinition } from './commands/completion/command.ts';
import { configDefinition } from './commands/config/command.ts';
import { doctorDefinition } from './commands/doctor/command.ts';
import { holdDefinition, hookDefinition } from './commands/hold/command.ts';
import { indexDefinition } from './commands/index/command.ts';
import { installDefinition } from './commands/install/command.ts';
import { keyDefinition } from './commands/key/command.ts';
import { lintDefinition } from './commands/lint/command.ts';
import { proposalDefinition } from './commands/proposal/command.ts';
import {
  deleteDefinition,
  diffDefinition,
  dumpDefinition,
  listDefinition,
  logDefinition,
  mintDefinition,
  searchDefinition,
  showDefinition,
  updateDefinition,
} from './commands/protocols/command.ts';
import {
  attestationDefinition,
  graphDefinition,
  reportDefinition,
  verifyDefinition,
} from './commands/records/command.ts';
import { rollbackDefinition } from './commands/rollback/command.ts';
import { resumeDefinition, runDefinition } from './commands/run/command.ts';
import { runsDefinition } from './commands/runs/command.ts';
import { schemaDefinition } from './commands/schema/command.ts';
import { serveDefinition } from './commands/serve/command.ts';
import { storeDefinition } from './commands/store/command.ts';
import { trustDefinition } from './commands/trust/command.ts';
import { viewDefinition } from './commands/view/command.ts';
import {
  answerDefinition,
  attestDefinition,
  beginDefinition,
  nextDefinition,
} from './commands/walk/command.ts';
import type { CliIo } from './io.ts';
import { runProgram } from './program.ts';

/** The command line with every command. */
export function runAny(argv: readonly string[], io: CliIo): Promise<number> {
  return runProgram(DEFINITIONS, argv, io);
}

/** Every command, in the order of the help. A new one is a new file and a line here. */
const DEFINITIONS: readonly Definition[] = [
  runDefinition,
  resumeDefinition,
  searchDefinition,
  beginDefinition,
  nextDefinition,
  answerDefinition,
  attestDefinition,
  proposalDefinition,
  rollbackDefinition,
  trustDefinition,
  mintDefinition,
  listDefinition,
  showDefinition,
  logDefinition,
  diffDefinition,
  dumpDefinition,
  updateDefinition,
  deleteDefinition,
  runsDefinition,
  reportDefinition,
  graphDefinition,
  viewDefinition,
  attestationDefinition,
  verifyDefinition,
  storeDefinition,
  newDefinition,
  lintDefinition,
  fmtDefinition,
  migrateDefinition,
  importDefinition,
  schemaDefinition,
  serveDefinition,
  installDefinition,
  holdDefinition,
  hookDefinition,
  indexDefinition,
  keyDefinition,
  configDefinition,
  doctorDefinition,
  completionDefinition,
];
