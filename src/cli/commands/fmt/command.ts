import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { FmtOptions } from './options.ts';

export const fmtDefinition: Definition = (bind) =>
  bind<[string[]], FmtOptions>(
    new Command('fmt')
      .summary('format step blocks and frontmatter')
      .description(
        'Writes step blocks and frontmatter in one form: keys in order, two spaces, current spellings. Everything else stays byte for byte, and the digest of a protocol never changes. Ends with 0, with 1 when --check finds something to change, with 2 when something cannot be formatted.',
      )
      .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
      .option('--check', 'write nothing; end with 1 when something would change')
      .option('--diff', 'write nothing; show what would change')
      .option('--stdin-filename <name>', 'file name to report for standard input')
      .helpGroup(GROUP.protocols),
    async () => (await import('./handler.ts')).fmtCommand,
  );
