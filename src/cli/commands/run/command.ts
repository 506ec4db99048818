import { Command } from 'commander';
import {
  actorOption,
  collect,
  collectDigests,
  type Definition,
  GROUP,
  hereOption,
  policyOption,
} from '../../command.ts';
import type { ResumeOptions, RunOptions } from './subject.ts';

export const runDefinition: Definition = (bind) =>
  bind<[string], RunOptions>(
    withWalkOptions(
      new Command('run')
        .summary('run a protocol here: kairos runs the commands and asks you the rest')
        .description(
          'Runs a protocol from its first step to its seal. Commands run only after you have trusted the content. Answers come from the terminal, from a pipe or from a file.',
        )
        .argument('<target>', 'a file, URI, slug or digest')
        .option('--resume [run]', 'continue an open run: the newest of this protocol, or the one named')
        .addOption(hereOption())
        .option('--dry-run', 'show every step and command, and run nothing')
        .option('--chain <slug>', 'slug of the protocol, if a file contains several')
        .helpGroup(GROUP.walk),
    ),
    async () => (await import('./handler.ts')).runHandler,
  );

export const resumeDefinition: Definition = (bind) =>
  bind<[string | undefined], ResumeOptions>(
    withWalkOptions(
      new Command('resume')
        .summary('resume an open run')
        .description(
          'Resumes an open run: the one named, the one that KAIROS_HANDOVER_FILE names, or your newest. It keeps the content it began with, unless --with names another.',
        )
        .argument('[run]', 'id of the run')
        .option(
          '--with <file>',
          'continue with a corrected document: every proven step must be the same, in the same place',
        )
        .addOption(hereOption())
        .helpGroup(GROUP.walk),
    ),
    async () => (await import('./handler.ts')).resumeCommand,
  );

/** Flags that give inputs, or secrets of a run again. */
export function withInputOptions(command: Command): Command {
  const inputValues: string[] = [];
  return command
    .option('--input <name=value>', 'give an input of the protocol; repeatable', (text, previous) => {
      // `--no-input` has the same name in commander and its own meaning.
      inputValues.push(text);
      command.setOptionValue('inputValues', inputValues);
      return previous;
    })
    .option('--inputs <file>', 'read inputs from a file in YAML or JSON')
    .option('--inputs-from-env', 'read inputs from environment variables of the same names');
}

function withWalkOptions(command: Command): Command {
  return withInputOptions(
    command
      .option('--answers <file>', 'answers in YAML or JSON, checked before the first step')
      .option('--yes', 'confirm everything that does not need a person'),
  )
    .option('--no-input', 'ask nothing: if input is needed, end with 3 and list the questions')
    .option('--trust <digest>', 'trust this digest for this run; repeatable', collectDigests)
    .option(
      '--workdir <dir>',
      'run commands and look for outputs in this directory (default: here; of an existing run: where it works)',
    )
    .option(
      '--root <dir>',
      'another folder that may contain outputs, as an absolute path; repeatable',
      collect,
    )
    .addOption(policyOption())
    .addOption(actorOption())
    .option('--contain', 'run commands in their own process namespace, if bubblewrap is available');
}
