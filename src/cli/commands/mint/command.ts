import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { MintOptions } from './handler.ts';

export const mintDefinition: Definition = (bind) =>
  bind<[string[]], MintOptions>(
    new Command('mint')
      .summary('store protocols from markdown files')
      .description(
        'Stores every protocol of the files. Identical content changes nothing. Different content under an existing slug needs --force and becomes a new revision.',
      )
      .argument('<path...>', 'markdown files; - is standard input')
      .option(
        '--force',
        'make a new revision of an existing protocol, or keep one that is similar to another',
      )
      .option('--model <id>', 'the language model that wrote it')
      .option('--protocol-version <version>', 'semantic version, instead of the one in the file')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).mintCommand,
  );
