import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { MintOptions } from './handler.ts';

export const mintDefinition: Definition = (bind) =>
  bind<[string[]], MintOptions>(
    new Command('mint')
      .summary('store protocols from markdown files')
      .description(
        'Stores every protocol of the files. The same content again changes nothing; other content under a known slug needs --force and becomes a new revision.',
      )
      .argument('<path...>', 'markdown files; - is standard input')
      .option('--force', 'make a new revision of a protocol that exists, or keep one that is like another')
      .option('--model <id>', 'the language model that wrote it')
      .option('--protocol-version <version>', 'semantic version, in place of the one in the file')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).mintCommand,
  );
