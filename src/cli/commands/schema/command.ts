import { Command } from 'commander';
import { type Definition, GROUP } from '../../command.ts';

export const schemaDefinition: Definition = (bind) =>
  bind<[string | undefined], unknown>(
    new Command('schema')
      .summary('print the JSON Schema of what kairos reads and writes')
      .description(
        'Prints a JSON Schema (2020-12) for editors and other programs: of step blocks, of a project configuration, of answers files, of the lines of a ledger, of policies, hold lists and proposals. Without a name it lists them.',
      )
      .argument('[name]', 'step-block, frontmatter, config, answers, ledger-entry, policy, hold or proposal')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).schemaCommand,
  );
