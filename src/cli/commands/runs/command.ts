import { Command, InvalidArgumentError, Option } from 'commander';
import type { RunListOptions } from '../../../operations/runs.ts';
import {
  type ActorOptions,
  actorOption,
  type Bind,
  type Definition,
  GROUP,
  outOption,
  wholeNumber,
  withArchive,
} from '../../command.ts';
import type { RunsCloseOptions, RunsExportOptions, RunsPruneOptions } from './note.ts';
import type { RunsShowOptions } from './show.ts';

const RUN = 'id of the run, a unique beginning of it, or latest';

export const runsDefinition: Definition = (bind) =>
  new Command('runs')
    .summary('list, show, compare, note, close and prune runs')
    .description('Shows and manages runs: what was shown, submitted, accepted and sealed.')
    .addCommand(list(bind), { isDefault: true })
    .addCommand(show(bind))
    .addCommand(exportRun(bind))
    .addCommand(diff(bind))
    .addCommand(stats(bind))
    .addCommand(note(bind))
    .addCommand(close(bind))
    .addCommand(prune(bind))
    .helpGroup(GROUP.records);

function list(bind: Bind): Command {
  return bind<[], RunListOptions>(
    new Command('list')
      .summary('list runs, newest first')
      .description('Lists the runs of the space: how far they are, what they wait for, and how they ended.')
      .option('--protocol <protocol>', 'only runs of this protocol: a file, URI, slug or digest')
      .option('--actor <name>', 'only runs that this person or agent began')
      .option('--host <name>', 'only runs on this machine')
      .addOption(new Option('--outcome <outcome>', 'only runs that ended so').choices(['success', 'failure']))
      .addOption(
        new Option('--state <state>', 'only runs in this state').choices(['open', 'waiting', 'sealed']),
      )
      .option('--open', 'the same as --state open')
      .option('--sealed', 'the same as --state sealed')
      .option(
        '--since <time>',
        'only runs begun since a date, a time, or an age such as 7d or 12h',
        parseTime,
      )
      .option('--until <time>', 'only runs begun before a time or an age, or up to a date', parseUntil)
      .option('--limit <n>', 'how many at most (default: 50)', wholeNumber(1, 100_000))
      .addOption(
        new Option('--sort <key>', 'order (default: begun, newest first)').choices([
          'begun',
          'duration',
          'protocol',
          'actor',
        ]),
      ),
    async () => (await import('./list.ts')).runsListCommand,
  );
}

function show(bind: Bind): Command {
  return bind<[string], RunsShowOptions>(
    new Command('show')
      .summary('show what happened in a run')
      .description('Shows a run step by step, and what each proof is worth.')
      .argument('<run>', `${RUN}, or an exported file`)
      .option('--entries', 'show every entry of the record')
      .option('--full', 'show every entry with all of its output'),
    async () => (await import('./show.ts')).runsShowCommand,
  );
}

function exportRun(bind: Bind): Command {
  return bind<[string], RunsExportOptions>(
    new Command('export')
      .summary('write the record of a run as JSON lines')
      .description(
        'Writes the ledger, an entry in a line, the seal last. `kairos verify FILE` checks it anywhere.',
      )
      .argument('<run>', RUN)
      .addOption(outOption())
      .option('--force', 'replace the file if it exists'),
    async () => (await import('./note.ts')).runsExportCommand,
  );
}

function diff(bind: Bind): Command {
  return bind<[string, string], unknown>(
    new Command('diff')
      .summary('compare two runs')
      .description('Compares inputs, revision, proofs, output and durations of two runs, step by step.')
      .argument('<a>', `${RUN}, or an exported file`)
      .argument('<b>', `${RUN}, or an exported file`),
    async () => (await import('./stats.ts')).runsDiffCommand,
  );
}

function stats(bind: Bind): Command {
  return bind<[string | undefined], { since?: number }>(
    new Command('stats')
      .summary('count outcomes and durations')
      .description('Shows how runs end, the duration of their steps, and where they fail and wait.')
      .argument('[protocol]', 'a file, URI, slug or digest (default: all)')
      .option('--since <time>', 'only runs begun since a date, a time, or an age such as 30d', parseTime),
    async () => (await import('./stats.ts')).runsStatsCommand,
  );
}

function note(bind: Bind): Command {
  return bind<[string, string], ActorOptions>(
    new Command('note')
      .summary('add a note to a run')
      .description(
        'Adds a note to the record of an open run, with your name. A note on a sealed run is kept next to its record, signed with your key.',
      )
      .argument('<run>', RUN)
      .argument('<text>', 'the note')
      .addOption(actorOption()),
    async () => (await import('./note.ts')).runsNoteCommand,
  );
}

function close(bind: Bind): Command {
  return bind<[string], RunsCloseOptions>(
    new Command('close')
      .summary('end an open run as a failure')
      .description(
        'Seals an open run with the outcome failure, so that it is not offered for resuming any more.',
      )
      .argument('<run>', RUN)
      .requiredOption('--reason <text>', 'why it ends')
      .addOption(actorOption()),
    async () => (await import('./note.ts')).runsCloseCommand,
  );
}

function prune(bind: Bind): Command {
  const command = new Command('prune')
    .summary('remove the records of old runs')
    .description(
      'Archives the records of old sealed runs, then removes them from the store. A signed tombstone stays for each, so that its archive can be verified. Open runs, damaged records and those that cannot be archived stay.',
    )
    .requiredOption(
      '--older-than <age>',
      'only runs sealed before this: an age such as 90d (m is minutes), or a date',
      parseTime,
    )
    .option('--keep-last <n>', 'keep so many of the newest runs of each protocol', wholeNumber(0, 1_000_000))
    .option('--protocol <protocol>', 'only runs of this protocol: a file, URI, slug or digest');
  return bind<[], RunsPruneOptions>(
    withArchive(
      command,
      'folder for the records (default: archive in the data folder)',
      'keep no copy of the records',
    ).option('--dry-run', 'print what would be pruned and change nothing'),
    async () => (await import('./note.ts')).runsPruneCommand,
  );
}

const AGES: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** As `parseTime`, for the end of a stretch of time: a date alone is meant with its whole day. */
function parseUntil(text: string): number {
  const time = parseTime(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(time).setDate(new Date(time).getDate() + 1) : time;
}

/** Milliseconds since the epoch of a date, a time, or an age such as `7d`. */
export function parseTime(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (unit !== undefined) return Date.now() - Number(count) * (AGES[unit] ?? 0);
  const [, year, month, day, rest] = /^(\d{4})-(\d\d)-(\d\d)(.*)$/.exec(text) ?? [];
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  // Without a zone, a date alone is local too: lists show local times.
  const time = isDay ? Date.parse(rest === '' ? `${text}T00:00` : text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError(
    'Write a date (2026-01-31), a time (2026-01-31T14:00Z) or an age (90m, 12h, 7d, 4w).',
  );
}
