import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { collect } from '../collect.ts';
import { GROUP } from '../groups.ts';
import type { NewOptions } from './options.ts';

export const newDefinition: Definition = (bind) =>
  bind<[string | undefined], NewOptions>(
    new Command('new')
      .summary('begin a protocol')
      .description(
        'Writes a protocol to begin with. Asks for what the options do not say; with a --title it asks nothing. An existing file is never overwritten without --force.',
      )
      .argument('[file]', 'the file to write; - is standard output (default: the slug with .md)')
      .option('--title <title>', 'what the protocol is called')
      .option('--kind <kind>', 'checklist, runbook, release, incident or agent')
      .option('--slug <slug>', 'its short name (default: derived from the title)')
      .option('--step <label>', 'a step of your own, in place of those of the kind; repeatable', collect)
      .option('--check <command>', 'the command that shows that the work is right')
      .option('--force', 'replace the file if there is one')
      .option('--no-input', 'ask nobody: where an answer is needed, end with 3 and list the questions')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).newCommand,
  );
