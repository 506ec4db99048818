import { Command, Option } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { wholeNumber } from '../numbers.ts';
import type { LintOptions } from './options.ts';

const collect = (value: string, before: string[] = []): string[] => [...before, value];

export const lintDefinition: Definition = (bind) => {
  const command = define();
  const given = new Set<string>();
  for (const name of ['config', 'no-config']) {
    command.on(`option:${name}`, () => {
      if (given.add(name).size > 1) command.setOptionValue('configTwice', true);
    });
  }
  return bind<[string[]], LintOptions>(command, async () => (await import('./handler.ts')).lintCommand);
};

function define(): Command {
  return new Command('lint')
    .summary('find what is wrong with protocols, and mend it')
    .description(
      'Checks what protocols mean: steps nobody can prove, blocks that cannot be read, commands that hide a failure. Ends with 0 when nothing is found, 1 for findings, 2 when something could not be looked at.',
    )
    .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
    .option(
      '--stdin-filename <name>',
      'what standard input is called; its folder decides about configuration',
    )
    .option(
      '--format <name[:file]>',
      'stylish, compact, json, jsonl, sarif, github, gitlab, junit or checkstyle; repeatable',
      collect,
    )
    .addOption(
      new Option('--fail-on <severity>', 'the least severity that ends with 1')
        .choices(['error', 'warning', 'info', 'never'])
        .default('error'),
    )
    .option('--max-warnings <n>', 'end with 1 when there are more warnings', wholeNumber(0, 1_000_000))
    .option('--quiet', 'show errors only')
    .option('--fix', 'mend what can be mended without a change of meaning')
    .addOption(new Option('--diff', 'show what --fix would change, and write nothing'))
    .addOption(new Option('--fix-dry-run', 'the same as --diff'))
    .option('--unsafe-fixes', 'with --fix or --diff: also what may change the meaning')
    .option('--config <file>', 'the one configuration that counts')
    .option('--no-config', 'read no configuration')
    .option('--print-config <file>', 'show what is configured for a file, and end')
    .option('--baseline <file>', 'accept the findings that stand in this file')
    .option('--update-baseline', 'write the findings into the baseline')
    .option('--sarif-suppressed', 'include suppressed and baselined findings in SARIF')
    .option('--exit-zero', 'end with 0 in spite of findings')
    .option('--no-inline-config', 'do not hear directives in the text')
    .option('--rule <id=severity>', 'error, warning, info or off for one rule; repeatable', collect)
    .option('--explain <id>', 'say what a rule is about, and end')
    .option('--watch', 'lint again whenever a file changes, until Ctrl-C')
    .helpGroup(GROUP.protocols);
}
