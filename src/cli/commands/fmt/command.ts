import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { FmtOptions } from './options.ts';

export const fmtDefinition: Definition = (bind) =>
  bind<[string[]], FmtOptions>(
    new Command('fmt')
      .summary('bring step blocks and frontmatter into their canonical form')
      .description(
        'Writes step blocks and frontmatter in one form: keys in order, two spaces, spellings of today. Everything else stays byte for byte, and the digest of a protocol never changes. Ends with 0, with 1 when --check finds something to do, with 2 when something could not be formatted.',
      )
      .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
      .option('--check', 'write nothing; end with 1 when something would be changed')
      .option('--diff', 'write nothing; show what would be changed')
      .option('--stdin-filename <name>', 'what standard input is called')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).fmtCommand,
  );
