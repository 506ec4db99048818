import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';

export const diffDefinition: Definition = (bind) =>
  bind<[string, string | undefined, string | undefined], unknown>(
    new Command('diff')
      .summary('compare two revisions of a protocol')
      .description('Prints what differs between two revisions of a protocol as a unified diff.')
      .argument('<protocol>', 'a slug or a kairos://mem/ URI')
      .argument('[a]', 'number or digest of the older revision (default: the one before the newest)')
      .argument('[b]', 'number or digest of the newer revision (default: the newest)')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).diffCommand,
  );
