import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { policyOption } from '../solution-options.ts';
import type { BeginOptions } from './handler.ts';

export const beginDefinition: Definition = (bind) =>
  bind<[string | undefined], BeginOptions>(
    new Command('begin')
      .summary('begin a run by hand and show its first step')
      .description('Begins a run and shows its first step. Continue it with `next` and `attest`.')
      .argument('[target]', 'a kairos://mem/ URI or a slug; with --resume it may be left out')
      .option(
        '--resume',
        'resume your open run of the protocol, if there is one; without a target, the run that KAIROS_HANDOVER_FILE names',
      )
      .option('--require-trust', 'refuse a protocol that is not trusted on this machine')
      .addOption(policyOption())
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).beginCommand,
  );
