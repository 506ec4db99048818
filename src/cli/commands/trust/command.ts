import { Command } from 'commander';
import { collect, type Definition, GROUP } from '../../command.ts';
import type { TrustOptions } from './handler.ts';

export const trustDefinition: Definition = (bind) =>
  bind<[string | undefined], TrustOptions>(
    new Command('trust')
      .summary('let the commands of a protocol run on this machine')
      .description(
        'Shows what a protocol would run and what changed since it was last trusted, then asks. Trust applies to exactly this content. Without a terminal, the digest shown must be repeated.',
      )
      .argument('[target]', 'a file, a kairos://mem/ URI or a slug; with --revoke also a digest')
      .option('--digest <digest>', 'trust this digest without a question; repeatable', collect)
      .option('--list', 'list what is trusted here')
      .option('--revoke', 'revoke the trust')
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).trustCommand,
  );
