import { Command, Option } from 'commander';
import { type Bind, type Definition, GROUP } from '../../command.ts';
import type { StoreExportOptions } from './export.ts';
import type { StoreImportOptions } from './import.ts';

export const storeDefinition: Definition = (bind) =>
  new Command('store')
    .summary('move protocols and runs: to a file, from one, between stores')
    .description('Moves everything in a store unchanged: every revision, run, record and seal.')
    .addCommand(exportStore(bind))
    .addCommand(importStore(bind))
    .addCommand(copyStore(bind))
    .helpGroup(GROUP.records);

function exportStore(bind: Bind): Command {
  return bind<[string | undefined], StoreExportOptions>(
    new Command('export')
      .summary('write a store as JSON lines')
      .description(
        'Writes every protocol with its history and every run with its record, one a line, and the digest of all as the last line. With --space, only that space.',
      )
      .argument('[file]', 'write to a file; - is standard output (the default)')
      .option('--force', 'replace the file if it exists'),
    async () => (await import('./export.ts')).storeExportCommand,
  );
}

function importStore(bind: Bind): Command {
  return bind<[string], StoreImportOptions>(
    settings(
      new Command('import')
        .summary('import an exported store, or a folder of protocols')
        .description(
          'Checks everything first, then imports it record by record. Existing records are left unchanged, so after an interruption you can run the same command again.',
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
          'Copies everything in one store into another, as export and import do. With --space, only that space.',
        )
        .argument('<from>', 'location, as for --store')
        .argument('<to>', 'location, as for --store'),
    ),
    async () => (await import('./export.ts')).storeCopyCommand,
  );
}

function settings(command: Command): Command {
  return command
    .addOption(
      new Option('--on-conflict <what>', 'what to do when other content exists under the same id')
        .choices(['fail', 'skip', 'replace'])
        .default('fail'),
    )
    .option('--dry-run', 'check everything and write nothing');
}
