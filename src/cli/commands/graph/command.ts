import { Command, Option } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { GraphOptions } from './options.ts';

export const graphDefinition: Definition = (bind) =>
  bind<[string], GraphOptions>(
    new Command('graph')
      .summary('draw a protocol or a run as a graph')
      .description(
        'Draws the steps, proofs, gates and rollbacks of a protocol; of a run also what became of each step.',
      )
      .argument('<target>', 'a file, a kairos://mem/ URI, a slug, or a run (id, its beginning, or latest)')
      .addOption(
        new Option('--format <format>', 'form of the graph (default: mermaid)').choices(['mermaid', 'svg']),
      )
      .helpGroup(GROUP.records),
    async () => (await import('./handler.ts')).graphCommand,
  );
