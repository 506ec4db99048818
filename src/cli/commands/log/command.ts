import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';

export const logDefinition: Definition = (bind) =>
  bind<[string], unknown>(
    new Command('log')
      .summary('list the revisions of a protocol')
      .description(
        'Lists the revisions of a protocol, newest first: number, digest, when, by whom, and weakened demands.',
      )
      .argument('<protocol>', 'a slug or a kairos://mem/ URI')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).logCommand,
  );
