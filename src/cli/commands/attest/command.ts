import { Argument, Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { decimalNumber, runOption, solutionOption } from '../solution-options.ts';
import type { AttestOptions } from './handler.ts';

export const attestDefinition: Definition = (bind) =>
  bind<[string, 'success' | 'failure', string], AttestOptions>(
    new Command('attest')
      .summary('close a run with its outcome and seal it')
      .description(
        'Closes a run. Success needs every proof; failure is always possible. Both seal the record.',
      )
      .argument('<uri>', 'any kairos://mem/ URI of the protocol')
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
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).attestCommand,
  );
