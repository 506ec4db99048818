import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { collect } from '../solution-options.ts';
import type { NewOptions } from './options.ts';

export const newDefinition: Definition = (bind) =>
  bind<[string | undefined], NewOptions>(
    new Command('new')
      .summary('create a protocol')
      .description(
        'Writes a new protocol. Asks for everything that the options leave open; with --title it asks nothing. An existing file is only overwritten with --force.',
      )
      .argument('[file]', 'the file to write; - is standard output (default: the slug with .md)')
      .option('--title <title>', 'title of the protocol')
      .option('--kind <kind>', 'checklist, runbook, release, incident or agent')
      .option('--slug <slug>', 'short name (default: derived from the title)')
      .option('--step <label>', 'label of a step, replacing the steps of the kind; repeatable', collect)
      .option('--check <command>', 'command that checks the work')
      .option('--force', 'replace an existing file')
      .option('--no-input', 'ask nothing: if input is needed, end with 3 and list the questions')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).newCommand,
  );
