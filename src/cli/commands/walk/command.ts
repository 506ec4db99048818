import { Argument, Command } from 'commander';
import {
  type ActorOptions,
  actorOption,
  collect,
  type Definition,
  decimalNumber,
  GROUP,
  policyOption,
  runOption,
  type SolutionOptions,
  solutionOption,
} from '../../command.ts';
import type { AttestOptions, BeginOptions } from './handler.ts';

export const beginDefinition: Definition = (bind) =>
  bind<[string | undefined], BeginOptions>(
    new Command('begin')
      .summary('begin a run by hand and show its first step')
      .description('Begins a run and shows its first step. Continue it with `next` and `attest`.')
      .argument('[target]', 'a file, URI, slug or digest; with --resume it may be left out')
      .option(
        '--resume',
        'resume your open run of the protocol, if there is one; without a target, the run that KAIROS_HANDOVER_FILE names',
      )
      .option('--input <name=value>', 'give an input of the protocol; repeatable', collect)
      .option('--inputs <file>', 'read inputs from a file in YAML or JSON')
      .option('--inputs-from-env', 'read inputs from environment variables of the same names')
      .option('--require-trust', 'refuse a protocol that is not trusted on this machine')
      .addOption(policyOption())
      .addOption(actorOption())
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).beginCommand,
  );

export const nextDefinition: Definition = (bind) =>
  bind<[string], SolutionOptions>(
    new Command('next')
      .summary('submit the solution of a step and show the next step')
      .description('Submits the solution of the pending step. Without --solution the step is shown again.')
      .argument('<uri>', 'the kairos://mem/ URI of the pending step or of the step after it')
      .addOption(solutionOption())
      .addOption(runOption())
      .addOption(policyOption())
      .addOption(actorOption())
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).nextCommand,
  );

export const attestDefinition: Definition = (bind) =>
  bind<[string, 'success' | 'failure', string], AttestOptions>(
    new Command('attest')
      .summary('close a run with its outcome and seal it')
      .description(
        'Closes a run. Success needs every proof; failure is always possible. Both seal the record.',
      )
      .argument('<protocol>', 'a file, slug or digest, or any kairos://mem/ URI of the protocol')
      .addArgument(new Argument('<outcome>', 'outcome of the run').choices(['success', 'failure']))
      .argument('<message>', 'an account of what was done')
      .addOption(solutionOption())
      .addOption(runOption())
      .option(
        '--quality-bonus <n>',
        'quality of the protocol, -1 to 1 (other values are clamped)',
        decimalNumber(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
      )
      .option('--model <id>', 'the language model that ran it')
      .addOption(actorOption())
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).attestCommand,
  );

export const answerDefinition: Definition = (bind) =>
  bind<[string, string | undefined], ActorOptions>(
    new Command('answer')
      .summary('answer the question of a run')
      .description(
        "Answers the question of an open run from another terminal, also for an agent's run. Without a text it asks the question at this terminal. A text counts as a claim, because any program can give one; a typed answer counts as a person's own.",
      )
      .argument('<run>', 'id of the run, a unique beginning of it, or latest')
      .argument('[text]', 'the answer')
      .addOption(actorOption())
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).answerCommand,
  );
