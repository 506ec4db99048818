import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { collect } from '../collect.ts';
import { GROUP } from '../groups.ts';
import { hereOption, policyOption } from '../policy-option.ts';
import type { RunOptions, WalkOptions } from './options.ts';

export const runDefinition: Definition = (bind) =>
  bind<[string], RunOptions>(
    withWalkOptions(
      new Command('run')
        .summary('walk a protocol here: kairos runs the commands and asks you the rest')
        .description(
          'Walks a protocol from its first step to its seal. Commands run only after you have trusted the content; answers are asked for in the terminal, read from a pipe, or taken from a file.',
        )
        .argument('<target>', 'a file, a kairos://mem/ URI or a slug')
        .option('--resume [run]', 'continue an open run: the newest of this protocol, or the one named')
        .addOption(hereOption())
        .option('--dry-run', 'show every step and command as it would be, and run nothing')
        .option('--chain <slug>', 'which protocol, where a file holds several')
        .helpGroup(GROUP.walk),
    ),
    async () => (await import('./handler.ts')).runCommand,
  );

export const resumeDefinition: Definition = (bind) =>
  bind<[string | undefined], WalkOptions>(
    withWalkOptions(
      new Command('resume')
        .summary('go on with an open run')
        .description(
          'Goes on with an open run: the one named, the one that KAIROS_HANDOVER_FILE hands over, or your newest. It keeps the content it began with.',
        )
        .argument('[run]', 'id of the run')
        .addOption(hereOption())
        .helpGroup(GROUP.walk),
    ),
    async () => (await import('./resume.ts')).resumeCommand,
  );

function withWalkOptions(command: Command): Command {
  return command
    .option('--answers <file>', 'answers in YAML or JSON, checked before the first step')
    .option('--yes', 'confirm everything that need not be confirmed by hand')
    .option('--no-input', 'ask nobody: where an answer is needed, end with 3 and list the questions')
    .option('--trust <digest>', 'trust this digest for this run; once for each', collect)
    .option(
      '--workdir <dir>',
      'run commands and look for outputs in this directory (default: here; of an existing run: where it works)',
    )
    .option('--root <dir>', 'another folder that outputs may lie in, by absolute path; repeatable', collect)
    .addOption(policyOption())
    .option('--contain', 'run commands in a process namespace of their own, where bubblewrap can be had');
}
