import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { collect } from '../collect.ts';
import { GROUP } from '../groups.ts';
import { hereOption, policyOption } from '../policy-option.ts';
import type { RollbackOptions } from './options.ts';

export const rollbackDefinition: Definition = (bind) =>
  bind<[string, string], RollbackOptions>(
    new Command('rollback')
      .summary('undo a guarded step that failed, as its protocol says')
      .description(
        'Undoes a step whose permit was used and which is not proven, by the rollback of its template and nothing else. It goes through the gate like the step itself: a command runs under a permit of its own, a chain is walked as a run of its own.',
      )
      .argument('<run>', 'id of the run; it has to be open')
      .argument('<step>', 'number of the step')
      .option('--dry-run', 'show what would be done and what the gate would say, and do nothing')
      .option('--yes', 'confirm everything that need not be confirmed by hand')
      .option('--no-input', 'ask nobody: where an answer is needed, end with 3 and list the questions')
      .option('--trust <digest>', 'trust this digest for this call; once for each', collect)
      .option('--workdir <dir>', 'run commands in this directory (default: where the step ran)')
      .addOption(hereOption())
      .addOption(policyOption())
      .option('--contain', 'run commands in a process namespace of their own, where bubblewrap can be had')
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).rollbackCommand,
  );
