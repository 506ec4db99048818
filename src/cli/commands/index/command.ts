import { Command } from 'commander';
import { type Definition, GROUP } from '../../command.ts';
import type { IndexCommandOptions } from './handler.ts';

export const indexDefinition: Definition = (bind) =>
  bind<[], IndexCommandOptions>(
    new Command('index')
      .summary('index protocols for search by meaning, with an embedding provider')
      .description(
        'Computes a vector for every protocol of the store with the configured embedding model. Search switches to the new vectors when all exist. You can stop it and run it again at any time. `kairos serve` does the same in the background.',
      )
      .option('--watch', 'keep indexing new and changed protocols until interrupted')
      .option('--drop', 'delete all vectors, so that search uses words alone')
      .helpGroup(GROUP.setup),
    async () => (await import('./handler.ts')).indexCommand,
  );
