import { Command, Option } from 'commander';
import { collect, type Definition, GROUP, outOption, withArchive } from '../../command.ts';
import type { AttestationOptions, GraphOptions, ReportOptions } from './report.ts';
import type { VerifyCommandOptions } from './verify.ts';

export const verifyDefinition: Definition = (bind) => {
  const command = new Command('verify')
    .summary('check that records are intact')
    .description(
      'Recomputes every hash and the seal, and reports each change by its entry. Ends with 0 only if all records are intact; a record without a seal is not. Of a pruned run the tombstone and its archive are checked, and a missing archive ends with 1. With --all, open runs are listed as unsealed and do not change the exit code: only what is wrong with their entries does.',
    )
    .argument(
      '[record...]',
      'ids of runs (or their beginnings, or latest), exported files, or attestations; - is standard input',
    )
    .option('--all', 'check every run of the space')
    .option(
      '--against-store',
      'compare exported files with what the store keeps of the runs, pruned ones too',
    );
  return bind<[string[]], VerifyCommandOptions>(
    withArchive(
      command,
      'folder where the archives of pruned runs are now (default: where they were written)',
      'check pruned runs without their archives',
    )
      .option('--key <fingerprint>', 'a key that may have sealed; once for each (default: any)', collect)
      .helpGroup(GROUP.records),
    async () => (await import('./verify.ts')).verifyCommand,
  );
};

export const reportDefinition: Definition = (bind) =>
  bind<[string[]], ReportOptions>(
    new Command('report')
      .summary('report runs as a page, markdown, JSON or JUnit')
      .description(
        'Writes a report of a run: what was asked, done, refused and proven, and what each proof is worth. The HTML page is one file that checks its own record in the browser. Several runs make a comparison.',
      )
      .argument('<run...>', 'runs (id, its beginning, or latest), or exported files')
      .addOption(
        new Option('--format <format>', 'form of the report (default: html)').choices([
          'html',
          'md',
          'json',
          'junit',
        ]),
      )
      .addOption(outOption())
      .option('--force', 'replace the file if it exists')
      .option('--open', 'open the report in the browser')
      .helpGroup(GROUP.records),
    async () => (await import('./report.ts')).reportCommand,
  );

export const graphDefinition: Definition = (bind) =>
  bind<[string], GraphOptions>(
    new Command('graph')
      .summary('draw a protocol or a run as a graph')
      .description(
        'Draws the steps, proofs, gates and rollbacks of a protocol; of a run also what became of each step.',
      )
      .argument(
        '<target>',
        'a file, URI, slug or digest, or a run (id, its beginning, latest, or an exported .jsonl file)',
      )
      .addOption(
        new Option('--format <format>', 'form of the graph (default: mermaid)').choices(['mermaid', 'svg']),
      )
      .addOption(outOption())
      .option('--force', 'replace the file if it exists')
      .helpGroup(GROUP.records),
    async () => (await import('./report.ts')).graphCommand,
  );

export const attestationDefinition: Definition = (bind) =>
  bind<[string], AttestationOptions>(
    new Command('attestation')
      .summary('sign what a run shows for tools of others')
      .description(
        'Writes a sealed run as an in-toto statement in a DSSE envelope, signed with your sealing key, or as a Sigstore bundle.',
      )
      .argument('<run>', 'id of the run, a unique beginning of it, latest, or an exported file')
      .addOption(
        new Option('--format <format>', 'dsse, bundle, or the bare statement (default: dsse)').choices([
          'dsse',
          'bundle',
          'statement',
        ]),
      )
      .addOption(outOption())
      .option('--force', 'replace the file if it exists')
      .helpGroup(GROUP.records),
    async () => (await import('./report.ts')).attestationCommand,
  );
