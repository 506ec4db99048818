import { Command } from 'commander';
import type { Bind, Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { wholeNumber } from '../numbers.ts';
import type { RunsExportOptions, RunsListOptions } from './options.ts';

export const runsDefinition: Definition = (bind) =>
  new Command('runs')
    .summary('list runs, show one, export its record')
    .description('Shows runs: their steps, solutions, proofs and seals.')
    .addCommand(list(bind), { isDefault: true })
    .addCommand(show(bind))
    .addCommand(exportRun(bind))
    .helpGroup(GROUP.records);

function list(bind: Bind): Command {
  return bind<[], RunsListOptions>(
    new Command('list')
      .summary('list runs, newest first')
      .description('Lists the runs of the space, newest first.')
      .option('--open', 'only runs that are not sealed')
      .option('--sealed', 'only runs that are sealed')
      .option('--limit <n>', 'how many at most (default: 50)', wholeNumber(1, 100_000)),
    async () => (await import('./list.ts')).runsListCommand,
  );
}

function show(bind: Bind): Command {
  return bind<[string], unknown>(
    new Command('show')
      .summary('show what happened in a run')
      .description('Shows a run entry by entry, with the assurance of each proof.')
      .argument('<run>', 'id of the run'),
    async () => (await import('./show.ts')).runsShowCommand,
  );
}

function exportRun(bind: Bind): Command {
  return bind<[string], RunsExportOptions>(
    new Command('export')
      .summary('write the record of a run as JSON lines')
      .description(
        'Writes the ledger, one entry a line, the seal last. `kairos verify FILE` checks it anywhere.',
      )
      .argument('<run>', 'id of the run')
      .option('--out <file>', 'write to a file instead of standard output')
      .option('--force', 'replace the file if it exists'),
    async () => (await import('./export.ts')).runsExportCommand,
  );
}
