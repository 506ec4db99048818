import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { collect } from '../solution-options.ts';
import type { VerifyCommandOptions } from './options.ts';

export const verifyDefinition: Definition = (bind) =>
  bind<[string[]], VerifyCommandOptions>(
    new Command('verify')
      .summary('check that records are intact')
      .description(
        'Recomputes every hash and the seal, and reports each change by its entry. Ends with 0 only if all records are intact; a record without a seal is not.',
      )
      .argument(
        '[record...]',
        'ids of runs (or their beginnings, or latest), or exported files; - is standard input',
      )
      .option('--all', 'check every run of the space')
      .option('--key <fingerprint>', 'a key that may have sealed; once for each (default: any)', collect)
      .helpGroup(GROUP.records),
    async () => (await import('./handler.ts')).verifyCommand,
  );
