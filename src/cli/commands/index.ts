import type { Definition } from '../command.ts';
import { answerDefinition } from './answer/command.ts';
import { attestDefinition } from './attest/command.ts';
import { attestationDefinition } from './attestation/command.ts';
import { beginDefinition } from './begin/command.ts';
import { completionDefinition } from './completion/command.ts';
import { configDefinition } from './config/command.ts';
import { deleteDefinition } from './delete/command.ts';
import { diffDefinition } from './diff/command.ts';
import { doctorDefinition } from './doctor/command.ts';
import { dumpDefinition } from './dump/command.ts';
import { fmtDefinition } from './fmt/command.ts';
import { graphDefinition } from './graph/command.ts';
import { importDefinition } from './import/command.ts';
import { indexDefinition } from './index/command.ts';
import { installDefinition } from './install/command.ts';
import { keyDefinition } from './key/command.ts';
import { lintDefinition } from './lint/command.ts';
import { listDefinition } from './list/command.ts';
import { logDefinition } from './log/command.ts';
import { migrateDefinition } from './migrate/command.ts';
import { mintDefinition } from './mint/command.ts';
import { newDefinition } from './new/command.ts';
import { nextDefinition } from './next/command.ts';
import { proposalDefinition } from './proposal/command.ts';
import { reportDefinition } from './report/command.ts';
import { rollbackDefinition } from './rollback/command.ts';
import { resumeDefinition, runDefinition } from './run/command.ts';
import { runsDefinition } from './runs/command.ts';
import { schemaDefinition } from './schema/command.ts';
import { searchDefinition } from './search/command.ts';
import { serveDefinition } from './serve/command.ts';
import { showDefinition } from './show/command.ts';
import { storeDefinition } from './store/command.ts';
import { trustDefinition } from './trust/command.ts';
import { updateDefinition } from './update/command.ts';
import { verifyDefinition } from './verify/command.ts';
import { viewDefinition } from './view/command.ts';

/** Every command, in the order of the help. A new one is a new file and a line here. */
export const DEFINITIONS: readonly Definition[] = [
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
  indexDefinition,
  keyDefinition,
  configDefinition,
  doctorDefinition,
  completionDefinition,
];
