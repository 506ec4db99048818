import { Command } from 'commander';
import { type Definition, GROUP, wholeNumber } from '../../command.ts';
import type { ViewOptions } from './handler.ts';

export const viewDefinition: Definition = (bind) =>
  bind<[], ViewOptions>(
    new Command('view')
      .summary('look at runs in the browser, and answer what they ask')
      .description(
        'Serves a page on this machine only: runs as they go, reports, protocols, statistics, proposals that wait. The printed link works once. The page runs no commands and signs nothing.',
      )
      .option('--port <n>', 'port to listen on (default: a free one)', wholeNumber(0, 65_535))
      .option('--open', 'open the page in the browser')
      .helpGroup(GROUP.records),
    async () => (await import('./handler.ts')).viewCommand,
  );
