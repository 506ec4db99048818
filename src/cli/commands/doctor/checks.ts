import type { Check } from './check.ts';
import { checkClients } from './clients.ts';
import { checkConfiguration } from './configuration.ts';
import { checkOwnFiles } from './own-files.ts';
import { checkRuntime } from './runtime.ts';
import { checkSearch } from './search.ts';
import { checkStore } from './store.ts';
import { checkTerminal } from './terminal.ts';

/** Everything that `kairos doctor` looks at, in the order in which it tells about it. */
export const CHECKS: readonly Check[] = [
  checkRuntime,
  checkStore,
  checkOwnFiles,
  checkConfiguration,
  checkClients,
  checkTerminal,
  checkSearch,
];
