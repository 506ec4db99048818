import { Command, Option } from 'commander';
import { CARRIERS } from '../../../protocol/import/carriers.ts';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { ImportCommandOptions } from './options.ts';

export const importDefinition: Definition = (bind) =>
  bind<[string[]], ImportCommandOptions>(
    new Command('import')
      .summary('make protocols of runbooks, checklists, skills and rules')
      .description(
        'Makes a protocol of each document and prints every decision with its reason and line. Keeps every sentence and invents no proof: only a single complete command becomes one. Ends with 0, or with 2 when a document has no procedure or the result would be invalid.',
      )
      .argument('<path...>', 'markdown files, folders or quoted patterns')
      .addOption(
        new Option('--steps <carrier>', 'what carries the steps (default: by the evidence)').choices([
          ...CARRIERS,
        ]),
      )
      .option('--section <title>', 'import only what is below this heading')
      .option('--out <dir>', 'folder for the protocols (default: the current folder)')
      .option('--dry-run', 'write nothing; show the decisions')
      .option('--force', 'replace files that exist')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).importCommand,
  );
