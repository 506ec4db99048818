import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { wholeNumber } from '../solution-options.ts';
import type { SearchOptions } from './handler.ts';

export const searchDefinition: Definition = (bind) =>
  bind<[string[]], SearchOptions>(
    new Command('search')
      .summary('find the protocol for a task')
      .description(
        'Finds protocols by title, slug, trigger or words. Several phrasings: "ship it | release".',
      )
      .argument('<query...>', 'the task in your own words')
      .option('--limit <n>', 'how many at most, 1 to 50 (default: 10)', wholeNumber(1, 50))
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).searchCommand,
  );
