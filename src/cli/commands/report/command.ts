import { Command, Option } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { ReportOptions } from './options.ts';

export const reportDefinition: Definition = (bind) =>
  bind<[string[]], ReportOptions>(
    new Command('report')
      .summary('report runs as a page, markdown, JSON or JUnit')
      .description(
        'Writes a report of a run: what was asked, done, refused and proven, and what each proof is worth. The HTML page is one file that checks its own record in the browser. Several runs make a comparison.',
      )
      .argument('<run...>', 'runs (id, its beginning, or latest), or exported files')
      .addOption(
        new Option('--format <format>', 'form of the report (default: html)').choices([
          'html',
          'md',
          'json',
          'junit',
        ]),
      )
      .option('--out <file>', 'write to a file instead of standard output')
      .option('--force', 'replace the file if it exists')
      .option('--open', 'open the report in the browser')
      .helpGroup(GROUP.records),
    async () => (await import('./handler.ts')).reportCommand,
  );
