import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { policyOption, runOption, type SolutionOptions, solutionOption } from '../solution-options.ts';

export const nextDefinition: Definition = (bind) =>
  bind<[string], SolutionOptions>(
    new Command('next')
      .summary('submit the solution of a step and show the next step')
      .description('Submits the solution of the pending step. Without --solution the step is shown again.')
      .argument('<uri>', 'the kairos://mem/ URI of the pending step or of the step after it')
      .addOption(solutionOption())
      .addOption(runOption())
      .addOption(policyOption())
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).nextCommand,
  );
