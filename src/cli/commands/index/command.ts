import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { IndexCommandOptions } from './handler.ts';

export const indexDefinition: Definition = (bind) =>
  bind<[], IndexCommandOptions>(
    new Command('index')
      .summary('let search know what protocols mean, with an embedding provider')
      .description(
        'Gives every protocol of the store a vector of the configured embedding model, beside those in use; search changes to them when all are there. It can be stopped and called again at any time. `kairos serve` does the same in the background.',
      )
      .option('--watch', 'go on with what is minted or changed, until interrupted')
      .option('--drop', 'give up all vectors: search goes by words alone')
      .helpGroup(GROUP.setup),
    async () => (await import('./handler.ts')).indexCommand,
  );
