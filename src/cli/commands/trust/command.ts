import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { collect } from '../collect.ts';
import { GROUP } from '../groups.ts';
import type { TrustOptions } from './options.ts';

export const trustDefinition: Definition = (bind) =>
  bind<[string | undefined], TrustOptions>(
    new Command('trust')
      .summary('let the commands of a protocol run on this machine')
      .description(
        'Shows what a protocol would run and what changed since it was last trusted, then asks. Trust holds for exactly this content. Away from a terminal the digest shown has to be repeated.',
      )
      .argument('[target]', 'a file, a kairos://mem/ URI or a slug; with --revoke also a digest')
      .option('--digest <digest>', 'trust this digest without being asked; once for each', collect)
      .option('--list', 'list what is trusted here')
      .option('--revoke', 'take the trust back')
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).trustCommand,
  );
