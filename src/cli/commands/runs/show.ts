import { resolve } from 'node:path';
import { plainCommand } from '../../../base/command-line.ts';
import { zonedTime } from '../../../base/duration.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readLedgerLines } from '../../../host/files/read-source.ts';
import { notesOf, tombstoneFacts } from '../../../operations/prune.ts';
import { recordOfLines, reportOfRun } from '../../../operations/report.ts';
import { runObject, storedRun } from '../../../operations/run/locate.ts';
import { type RecordedRun, runRecord } from '../../../operations/runs.ts';
import type { RecordNote, ReportNote, RunReport } from '../../../report/model.ts';
import { timeline } from '../../../report/timeline.ts';
import { headline } from '../../../report/words.ts';
import type { RunRow } from '../../../store/port.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { heading, keyValues } from '../../terminal/layout.ts';
import { itemView, runView, stepsView } from '../../views/run.ts';

/** Entries that the overview shows too. */
const CONTEXT_CHANGES = new Set<string>(['run.moved', 'policy.adopted', 'run.rebased']);

/**
 * `kairos runs show`. With `--json`: `{run, context, inputs, assurance, self_reported, in_doubt, permit_in_doubt,
 * rollback_in_doubt, entries[], seal, notes[]}`, of a file also `status` and `findings[]`. The entries and the seal are those of
 * the ledger, unchanged.
 */
export const runsShowCommand: Handler<[string], RunsShowOptions> = (call) => {
  // An id has neither a dot nor a slash, and a file of an export has one.
  if (/[./\\]/.test(call.args[0])) return showFile(call);
  return withContext(call, {}, async (ctx) => {
    const { args, options, output } = call;
    const shownRun = await storedRun(ctx, args[0]);
    const notes = await notesOf(ctx, shownRun);
    if (shownRun.tombstone !== undefined) return showPruned(call, shownRun, shownRun.tombstone, notes);
    const record = await runRecord(ctx, shownRun.runId);
    const { run, isContentDamaged } = record;
    const report = await reportOfRun(ctx, run);
    if (output.json) {
      output.object(recordObject(record, report, notes));
      return EXIT.ok;
    }
    if (isContentDamaged) {
      const verify = ctx.commandLine(['verify', run.runId]);
      output.note(`note: the content of this run has been changed in the store: ${verify}`);
    }
    await printRecord(call, record, report, notes);
    if (!isEveryEntry(options))
      output.note(`Every entry: ${ctx.commandLine(['runs', 'show', run.runId, '--entries'])}`);
    return EXIT.ok;
  });
};

type Recorded = Pick<RecordedRun, 'run' | 'entries' | 'seal' | 'facts'>;

function recordObject(
  { run, entries, seal, facts }: Recorded,
  { inputs }: RunReport,
  notes: readonly ReportNote[],
) {
  const { context, assurance, selfReported, inDoubt, permitInDoubt, rollbackInDoubt } = facts;
  return {
    run: runObject(run),
    context: {
      actor_origin: facts.actorOrigin,
      actor_account: facts.actorAccount,
      host: context.place?.host ?? null,
      workdir: context.place?.workdir ?? null,
      roots: context.place?.roots ?? [],
      policy_digest: context.policy?.digest ?? null,
      policy_origin: context.policy?.origin ?? null,
    },
    inputs: Object.fromEntries(inputs),
    assurance,
    self_reported: selfReported,
    in_doubt:
      inDoubt === null ? null : { step: inDoubt.step, cmd: inDoubt.cmd, started_at: inDoubt.startedAt },
    permit_in_doubt:
      permitInDoubt === null
        ? null
        : {
            step: permitInDoubt.step,
            permit_id: permitInDoubt.permitId,
            consumed_at: permitInDoubt.consumedAt,
          },
    rollback_in_doubt:
      rollbackInDoubt === null
        ? null
        : {
            step: rollbackInDoubt.step,
            permit_id: rollbackInDoubt.permitId,
            started_at: rollbackInDoubt.startedAt,
            cmd: rollbackInDoubt.cmd,
            chain_run_id: rollbackInDoubt.chainRunId,
          },
    entries,
    seal: seal?.seal ?? null,
    notes,
  };
}

function isEveryEntry({ entries, full }: RunsShowOptions): boolean {
  return entries === true || full === true;
}

async function printRecord(
  { options, output }: Call<[string], RunsShowOptions>,
  { run, entries, facts }: Recorded,
  { steps, revisions, inputs, recordNotes }: RunReport,
  notes: readonly ReportNote[],
): Promise<void> {
  const shown = isEveryEntry(options);
  const refused = steps.flatMap(({ state, attempts }) => (state === 'failed' ? attempts.slice(-1) : []));
  const told = new Set(refused.map(({ seq }) => seq));
  // The end of the command has the output, unless the refusal has it.
  for (const { seq, proof } of refused)
    if (proof === null && entries[seq - 1]?.kind === 'command.finished') told.add(seq - 1);
  for (const { kind, seq } of entries) if (CONTEXT_CHANGES.has(kind)) told.add(seq);
  const items = timeline(entries, revisions, options.full === true).filter(
    ({ seq }) => shown || told.has(seq),
  );
  const { context, ...rest } = facts;
  output.print(
    await runView(
      { run, context, inputs, isFull: options.full === true, ...rest, items, steps: shown ? null : steps },
      output,
    ),
  );
  for (const note of shown ? [] : recordNotes) output.print(`\n${recordNoteView(note)}`);
  for (const note of notes) output.print(`\n${noteView(note, output)}`);
}

/** What is left of a pruned run. With `--json`: `{run, tombstone, notes[]}`. */
async function showPruned(
  { output }: Call<[string], RunsShowOptions>,
  run: RunRow,
  text: string,
  notes: readonly ReportNote[],
): Promise<number> {
  const checked = tombstoneFacts(run, text);
  if (output.json) {
    output.object({ run: runObject(run), tombstone: JSON.parse(text) as unknown, notes });
    return EXIT.ok;
  }
  output.print(`${heading(run.title, { color: output.color })}\n`);
  const rows: [string, string][] = [
    ['run', run.runId],
    ['protocol', run.slug],
    ['begun', `${zonedTime(run.begunAt)} by ${run.actor}`],
    ['state', `sealed ${zonedTime(run.sealedAt ?? run.begunAt)}, outcome ${run.outcome}`],
    ['entries', `${run.entryCount}, not in the store any more`],
  ];
  if ('reason' in checked) rows.push(['tombstone', `not to be trusted: it ${checked.reason}`]);
  else
    rows.push(
      ['pruned', `${zonedTime(checked.at)} by ${checked.by}`],
      ['archive', checked.archive ?? 'none'],
    );
  output.print(await keyValues(rows, { color: output.color }));
  for (const note of notes) output.print(`\n${noteView(note, output)}`);
  return EXIT.ok;
}

function noteView({ at, by, text, signed_by: key }: ReportNote, { color }: Output): string {
  if (key === null) return color.red('note that was changed: it is not signed by the key that it names');
  return recordNoteView({ at, by, text }, `, signed by ${key.slice(0, 16)}…`);
}

function recordNoteView({ at, by, text }: RecordNote, signature = ''): string {
  const lines = escapeForTerminal(text, { keepNewlines: true }).replaceAll('\n', '\n  ');
  return `note ${zonedTime(at)} by ${escapeForTerminal(by)}${signature}\n  ${lines}`;
}

/** Shows an exported record as a run is shown, and of a damaged one what can be read. */
async function showFile(call: Call<[string], RunsShowOptions>): Promise<number> {
  const lines = await readLedgerLines(call.args[0], call.io);
  return withContext(call, { dryRun: true }, async (ctx) => {
    const { output, options } = call;
    const { report, record } = await recordOfLines(ctx, lines);
    const { status, findings } = report.verification;
    if (output.json) {
      const shown = record === null ? { run: null } : recordObject(record, report, []);
      output.object({ ...shown, status, findings });
      return EXIT.ok;
    }
    if (record !== null) {
      await printRecord(call, record, report, []);
      return EXIT.ok;
    }
    output.print(heading(report.title, { color: output.color }));
    output.print(`\n${escapeForTerminal(headline(report))}`);
    const verify = plainCommand(['verify', resolve(call.io.cwd, call.args[0])]);
    output.print(`The record is damaged. This names the entries: ${escapeForTerminal(verify)}\n`);
    if (isEveryEntry(options)) output.print(report.events.map((item) => itemView(item, output)).join('\n'));
    else output.print(await stepsView(report.steps, output));
    return EXIT.ok;
  });
}

export interface RunsShowOptions {
  entries?: boolean;
  full?: boolean;
}
