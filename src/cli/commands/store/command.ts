import { Command, Option } from 'commander';
import type { Bind, Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { StoreExportOptions, StoreImportOptions } from './options.ts';

export const storeDefinition: Definition = (bind) =>
  new Command('store')
    .summary('move protocols and runs: to a file, from one, between stores')
    .description(
      'Moves everything that a store holds: every revision, run, record and seal, exactly as it is.',
    )
    .addCommand(exportStore(bind))
    .addCommand(importStore(bind))
    .addCommand(copyStore(bind))
    .helpGroup(GROUP.records);

function exportStore(bind: Bind): Command {
  return bind<[string | undefined], StoreExportOptions>(
    new Command('export')
      .summary('write a store as JSON lines')
      .description(
        'Writes every protocol with its history and every run with its record, a line each, the digest of all last. With --space only that space.',
      )
      .argument('[file]', 'write to a file instead of standard output')
      .option('--force', 'replace the file if it exists'),
    async () => (await import('./export.ts')).storeExportCommand,
  );
}

function importStore(bind: Bind): Command {
  return bind<[string], StoreImportOptions>(
    settings(
      new Command('import')
        .summary('take in an exported store, or a folder of protocols')
        .description(
          'Checks everything first, then takes it in record by record; what is there already is left alone, so after an interruption the same command goes on.',
        )
        .argument(
          '<source>',
          'a file of `kairos store export` (- is standard input), or a folder of markdown',
        ),
    ),
    async () => (await import('./import.ts')).storeImportCommand,
  );
}

function copyStore(bind: Bind): Command {
  return bind<[string, string], StoreImportOptions>(
    settings(
      new Command('copy')
        .summary('copy one store into another')
        .description(
          'Takes everything in one store into another, as export and import do. With --space only that space.',
        )
        .argument('<from>', 'location, as for --store')
        .argument('<to>', 'location, as for --store'),
    ),
    async () => (await import('./copy.ts')).storeCopyCommand,
  );
}

function settings(command: Command): Command {
  return command
    .addOption(
      new Option('--on-conflict <what>', 'when something else is there under the same id')
        .choices(['fail', 'skip', 'replace'])
        .default('fail'),
    )
    .option('--dry-run', 'check everything and write nothing');
}
