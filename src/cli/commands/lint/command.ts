import { Command, Option } from 'commander';
import { type Definition, GROUP, wholeNumber } from '../../command.ts';
import type { LintOptions } from './settings.ts';

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
    .summary('check protocols and fix problems')
    .description(
      'Checks what protocols mean: steps without a usable proof, unreadable blocks, commands that hide a failure. Ends with 0 when nothing is found, 1 for findings, 2 when something cannot be checked.',
    )
    .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
    .option(
      '--stdin-filename <name>',
      'file name to report for standard input; its folder selects the configuration',
    )
    .option(
      '--format <name[:file]>',
      'stylish, compact, json, jsonl, sarif, github, gitlab, junit or checkstyle; repeatable',
      collect,
    )
    .addOption(
      new Option('--fail-on <severity>', 'lowest severity that ends with 1')
        .choices(['error', 'warning', 'info', 'never'])
        .default('error'),
    )
    .option(
      '--max-warnings <n>',
      'end with 1 when there are more warnings than this',
      wholeNumber(0, 1_000_000),
    )
    .option('--quiet', 'show errors only')
    .option('--fix', 'fix what can be fixed without changing the meaning')
    .addOption(new Option('--diff', 'show what --fix would change, and write nothing'))
    .addOption(new Option('--fix-dry-run', 'the same as --diff'))
    .option('--unsafe-fixes', 'with --fix or --diff: also apply fixes that may change the meaning')
    .option('--config <file>', 'use only this configuration file')
    .option('--no-config', 'read no configuration')
    .option('--print-config <file>', 'print the configuration of a file and exit')
    .option('--baseline <file>', 'accept the findings in this file')
    .option('--update-baseline', 'write the findings into the baseline')
    .option('--sarif-suppressed', 'include suppressed and baselined findings in SARIF')
    .option('--exit-zero', 'end with 0 even when there are findings')
    .option('--no-inline-config', 'ignore directives in the text')
    .option('--rule <id=severity>', 'error, warning, info or off for one rule; repeatable', collect)
    .option('--explain <id>', 'explain a rule and exit')
    .option('--watch', 'run again whenever a file changes, until Ctrl-C')
    .helpGroup(GROUP.protocols);
}
