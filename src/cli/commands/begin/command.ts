import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { policyOption } from '../policy-option.ts';
import type { BeginOptions } from './handler.ts';

export const beginDefinition: Definition = (bind) =>
  bind<[string | undefined], BeginOptions>(
    new Command('begin')
      .summary('begin a run by hand and show its first step')
      .description('Begins a run and shows its first step; `next` and `attest` take it on from there.')
      .argument('[target]', 'a kairos://mem/ URI or a slug; with --resume it may be left out')
      .option(
        '--resume',
        'take up your open run of it, if there is one; without a target the run handed over by KAIROS_HANDOVER_FILE',
      )
      .option('--require-trust', 'refuse a protocol that is not trusted on this machine')
      .addOption(policyOption())
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).beginCommand,
  );
