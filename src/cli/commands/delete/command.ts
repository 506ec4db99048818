import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';

export const deleteDefinition: Definition = (bind) =>
  bind<[string[]], unknown>(
    new Command('delete')
      .summary('remove protocols from the list')
      .description('Removes protocols from the list. Their runs can still be shown and verified.')
      .argument('<uri...>', 'kairos://mem/ URIs of first steps')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).deleteCommand,
  );
