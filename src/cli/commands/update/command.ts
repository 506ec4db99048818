import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { UpdateOptions } from './handler.ts';

export const updateDefinition: Definition = (bind) =>
  bind<[string[]], UpdateOptions>(
    new Command('update')
      .summary('change steps or whole protocols in place')
      .description(
        'Changes steps or whole protocols. URIs and slugs stay, and open runs keep the content they began with.',
      )
      .argument('<uri...>', "kairos://mem/ URIs; the first step's stands for the protocol")
      .option('--file <path...>', 'new text, one file for each URI; - is standard input')
      .option('--label <label>', 'new heading of the steps')
      .option('--text <text>', 'new text of the steps; a proof that it leaves out stays')
      .option('--tags <tags>', 'new tags of the protocols, separated by commas')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).updateCommand,
  );
