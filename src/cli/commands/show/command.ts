import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { ShowOptions } from './options.ts';

export const showDefinition: Definition = (bind) =>
  bind<[string], ShowOptions>(
    new Command('show')
      .summary('show a protocol and what each step asks for')
      .description('Shows a protocol with the demand of each step. Nothing is run.')
      .argument(
        '<target>',
        'a file, a kairos://mem/ URI or a slug (write ./name for a file named like a slug)',
      )
      .option('--revision <revision>', 'number or digest of a stored revision (default: the newest)')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).showCommand,
  );
