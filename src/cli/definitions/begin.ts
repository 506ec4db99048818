import { Command } from 'commander';
import type { Definition } from '../command.ts';
import { GROUP } from './groups.ts';
import { policyOption } from './policy-option.ts';

export interface BeginOptions {
  resume?: boolean;
  requireTrust?: boolean;
}

export const beginDefinition: Definition = (bind) =>
  bind<[string], BeginOptions>(
    new Command('begin')
      .summary('begin a run by hand and show its first step')
      .description('Begins a run and shows its first step; `next` and `attest` take it on from there.')
      .argument('<target>', 'a kairos://mem/ URI or a slug')
      .option('--resume', 'take up your newest open run of it, if there is one')
      .option('--require-trust', 'refuse a protocol that is not trusted on this machine')
      .addOption(policyOption())
      .helpGroup(GROUP.walk),
    async () => (await import('../commands/begin.ts')).beginCommand,
  );
