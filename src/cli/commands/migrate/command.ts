import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { MigrateOptions } from './options.ts';

export const migrateDefinition: Definition = (bind) =>
  bind<[string[]], MigrateOptions>(
    new Command('migrate')
      .summary('rewrite proof lines and spellings of older protocols')
      .description(
        'Shows how older proof lines and spellings are written today, and what only a human can decide; with --write it is done. Ends with 0 when nothing is left to do, with 1 when something is, with 2 when something could not be looked at.',
      )
      .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
      .option('--write', 'rewrite the files, or the stored protocols')
      .option('--diff', 'show what changes (without --write it is shown anyway)')
      .option(
        '--stored',
        'work on the protocols of the store; each change is a new revision under the same URIs',
      )
      .option('--allow-weaken', 'with --stored: also where a step would demand less than it does now')
      .option('--stdin-filename <name>', 'what standard input is called')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).migrateCommand,
  );
