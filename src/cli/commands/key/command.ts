import { Command } from 'commander';
import { type Definition, GROUP } from '../../command.ts';

export const keyDefinition: Definition = (bind) =>
  new Command('key')
    .summary('show the key that seals your runs')
    .description(
      'Shows the ed25519 key that seals your runs and signs attestations. The private half never leaves its file.',
    )
    .addCommand(
      bind<[], { pem?: boolean }>(
        new Command('show')
          .summary('print the public key and its fingerprint')
          .description(
            'Prints where the key is, its fingerprint, and the public key. It is made if there is none.',
          )
          .option('--pem', 'print only the public key, in PEM'),
        async () => (await import('./show.ts')).keyShowCommand,
      ),
      { isDefault: true },
    )
    .helpGroup(GROUP.setup);
