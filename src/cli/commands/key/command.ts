import { Command } from 'commander';
import { type Definition, GROUP } from '../../command.ts';

const LOST = 'replace a key whose ssh-agent no longer exists, without its statement';

export const keyDefinition: Definition = (bind) =>
  new Command('key')
    .summary('show, make, replace or import the key that seals your runs')
    .description(
      'Shows the ed25519 key that seals your runs and signs attestations. The private half never leaves its file or your ssh-agent.',
    )
    .addCommand(
      bind<[], { pem?: boolean }>(
        new Command('show')
          .summary('print the public key and its fingerprint')
          .description(
            'Prints where the key is, its fingerprint, and the public key. kairos makes it if it is missing.',
          )
          .option('--pem', 'print only the public key, in PEM'),
        async () => (await import('./handler.ts')).keyShowCommand,
      ),
      { isDefault: true },
    )
    .addCommand(
      bind<[], unknown>(
        new Command('new')
          .summary('make a sealing key')
          .description('Makes the key that seals your runs. kairos makes it at the first seal, too.'),
        async () => (await import('./handler.ts')).keyNewCommand,
      ),
    )
    .addCommand(
      bind<[], { lost?: boolean }>(
        new Command('rotate')
          .summary('replace the sealing key by a new one')
          .description(
            'Makes a new sealing key. The key before signs a statement that names the new one, and its seals stay valid.',
          )
          .option('--lost', LOST),
        async () => (await import('./handler.ts')).keyRotateCommand,
      ),
    )
    .addCommand(
      bind<[string | undefined], { agent?: string | boolean; lost?: boolean }>(
        new Command('import')
          .summary('seal with a key of yours')
          .description(
            'Makes an ed25519 key of yours the sealing key: a PKCS #8 or OpenSSH private key, or one that ssh-agent has. The key before signs a statement that names it.',
          )
          .argument('[file]', 'private key file, or a .pub file whose key is in ssh-agent')
          .option(
            '--agent [name]',
            'the ed25519 key in ssh-agent; by a part of its comment if there are several',
          )
          .option('--lost', LOST),
        async () => (await import('./handler.ts')).keyImportCommand,
      ),
    )
    .helpGroup(GROUP.setup);
