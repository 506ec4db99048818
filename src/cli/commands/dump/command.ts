import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { DumpOptions } from './handler.ts';

export const dumpDefinition: Definition = (bind) =>
  bind<[string], DumpOptions>(
    new Command('dump')
      .summary('print a protocol or a step as markdown')
      .description(
        'Prints the step of a URI, or the protocol of a slug, as markdown that mints to the same content.',
      )
      .argument('<target>', 'a kairos://mem/ URI or a slug')
      .option('--protocol', 'print the whole protocol of the URI')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).dumpCommand,
  );
