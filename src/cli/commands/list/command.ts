import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';

export const listDefinition: Definition = (bind) =>
  bind<[], unknown>(
    new Command('list')
      .summary('list the protocols of the space')
      .description('Lists the protocols of the space, without the two built-in ones.')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).listCommand,
  );
