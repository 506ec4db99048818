import type { Definition } from '../command.ts';
import { attestDefinition } from './attest.ts';
import { beginDefinition } from './begin.ts';
import { completionDefinition } from './completion.ts';
import { configDefinition } from './config.ts';
import { deleteDefinition } from './delete.ts';
import { doctorDefinition } from './doctor.ts';
import { dumpDefinition } from './dump.ts';
import { fmtDefinition } from './fmt.ts';
import { indexDefinition } from './index-chains.ts';
import { installDefinition } from './install.ts';
import { lintDefinition } from './lint.ts';
import { listDefinition } from './list.ts';
import { migrateDefinition } from './migrate.ts';
import { mintDefinition } from './mint.ts';
import { newDefinition } from './new.ts';
import { nextDefinition } from './next.ts';
import { proposalDefinition } from './proposal.ts';
import { rollbackDefinition } from './rollback.ts';
import { resumeDefinition, runDefinition } from './run.ts';
import { runsDefinition } from './runs.ts';
import { schemaDefinition } from './schema.ts';
import { searchDefinition } from './search.ts';
import { serveDefinition } from './serve.ts';
import { showDefinition } from './show.ts';
import { storeDefinition } from './store.ts';
import { trustDefinition } from './trust.ts';
import { updateDefinition } from './update.ts';
import { verifyDefinition } from './verify.ts';

/** Every command, in the order of the help. A new one is a new file and a line here. */
export const DEFINITIONS: readonly Definition[] = [
  runDefinition,
  resumeDefinition,
  searchDefinition,
  beginDefinition,
  nextDefinition,
  attestDefinition,
  proposalDefinition,
  rollbackDefinition,
  trustDefinition,
  mintDefinition,
  listDefinition,
  showDefinition,
  dumpDefinition,
  updateDefinition,
  deleteDefinition,
  runsDefinition,
  verifyDefinition,
  storeDefinition,
  newDefinition,
  lintDefinition,
  fmtDefinition,
  migrateDefinition,
  schemaDefinition,
  serveDefinition,
  installDefinition,
  indexDefinition,
  configDefinition,
  doctorDefinition,
  completionDefinition,
];
