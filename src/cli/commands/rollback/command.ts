import { Command } from 'commander';
import { collect, type Definition, GROUP, hereOption, policyOption } from '../../command.ts';
import type { RollbackOptions } from './roll-back.ts';

export const rollbackDefinition: Definition = (bind) =>
  bind<[string, string], RollbackOptions>(
    new Command('rollback')
      .summary('roll back a gated step that failed, as its protocol defines')
      .description(
        'Rolls back a step whose permit was used and which is not proven, with the rollback of its template only. The rollback passes the gate like the step itself: a command runs under its own permit, a chain as its own run.',
      )
      .argument('<run>', 'id of the run; it must be open')
      .argument('<step>', 'number of the step')
      .option('--dry-run', 'show what would be done and what the gate decides, and do nothing')
      .option('--yes', 'confirm everything that does not need a person')
      .option('--no-input', 'ask nothing: if input is needed, end with 3 and list the questions')
      .option('--trust <digest>', 'trust this digest for this call; repeatable', collect)
      .option('--workdir <dir>', 'run commands in this directory (default: where the step ran)')
      .addOption(hereOption())
      .addOption(policyOption())
      .option('--contain', 'run commands in their own process namespace, if bubblewrap is available')
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).rollbackCommand,
  );
