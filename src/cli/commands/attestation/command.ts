import { Command, Option } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { AttestationOptions } from './options.ts';

export const attestationDefinition: Definition = (bind) =>
  bind<[string], AttestationOptions>(
    new Command('attestation')
      .summary('sign what a run shows for tools of others')
      .description(
        'Writes a sealed run as an in-toto statement in a DSSE envelope, signed with your sealing key, or as a Sigstore bundle.',
      )
      .argument('<run>', 'id of the run, a unique beginning of it, or latest')
      .addOption(
        new Option('--format <format>', 'dsse, bundle, or the bare statement (default: dsse)').choices([
          'dsse',
          'bundle',
          'statement',
        ]),
      )
      .option('--out <file>', 'write to a file instead of standard output')
      .option('--force', 'replace the file if it exists')
      .helpGroup(GROUP.records),
    async () => (await import('./handler.ts')).attestationCommand,
  );
