import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { MigrateOptions } from './options.ts';

export const migrateDefinition: Definition = (bind) =>
  bind<[string[]], MigrateOptions>(
    new Command('migrate')
      .summary('rewrite older proof lines and spellings')
      .description(
        'Shows how older proof lines and spellings are written today, and what needs a human decision. With --write it changes the files. Ends with 0 when nothing is left to do, 1 when something is, 2 when something cannot be read.',
      )
      .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
      .option('--write', 'rewrite the files, or the stored protocols')
      .option('--diff', 'show what changes (the default without --write)')
      .option(
        '--stored',
        'migrate the protocols of the store; each change is a new revision under the same URIs',
      )
      .option('--allow-weaken', 'with --stored: also migrate steps that would demand less than now')
      .option('--stdin-filename <name>', 'file name to report for standard input')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).migrateCommand,
  );
