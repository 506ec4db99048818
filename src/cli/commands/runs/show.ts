import { programName } from '../../../base/command-line.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readLedgerLines } from '../../../host/files/read-source.ts';
import { notesOf, tombstoneFacts } from '../../../operations/prune.ts';
import { reportOfLines } from '../../../operations/report.ts';
import { runRecord } from '../../../operations/runs.ts';
import { runObject, storedRun } from '../../../operations/stored-run.ts';
import { type RecordNote, type ReportNote, reportStored } from '../../../report/model.ts';
import { timeline } from '../../../report/timeline.ts';
import { headline } from '../../../report/words.ts';
import type { RunRow } from '../../../store/port.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { heading, keyValues } from '../../terminal/layout.ts';
import { runView, stepsView } from '../../views/run.ts';

/** Entries that the overview shows too. */
const CONTEXT_CHANGES = new Set<string>(['run.moved', 'policy.adopted', 'run.rebased']);

/**
 * `kairos runs show`. With `--json`: `{run, context, assurance, self_reported, in_doubt, permit_in_doubt, rollback_in_doubt,
 * entries[], seal, notes[]}`. The entries and the seal are those of the ledger, unchanged.
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
    const { run, entries, seal, content, isContentDamaged, facts: found } = record;
    if (isContentDamaged && !output.json) {
      const verify = ctx.commandLine(['verify', run.runId]);
      output.note(`note: the content of this run has been changed in the store: ${verify}`);
    }
    const { context, ...facts } = found;
    const { steps, inputs, recordNotes } = reportStored(entries, seal, content);
    if (output.json) {
      const { assurance, selfReported, inDoubt, permitInDoubt, rollbackInDoubt } = facts;
      output.object({
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
      });
    } else {
      const shown = options.entries === true || options.full === true;
      const labels = steps.map(({ label }) => label);
      const refused = steps.flatMap(({ state, attempts }) => (state === 'failed' ? attempts.slice(-1) : []));
      const told = new Set(refused.map(({ seq }) => seq));
      // The end of the command has the output, unless the refusal has it.
      for (const { seq, proof } of refused)
        if (proof === null && entries[seq - 1]?.kind === 'command.finished') told.add(seq - 1);
      for (const { kind, seq } of entries) if (CONTEXT_CHANGES.has(kind)) told.add(seq);
      const items = timeline(entries, labels, options.full === true).filter(
        ({ seq }) => shown || told.has(seq),
      );
      output.print(
        await runView({ run, context, inputs, ...facts, items, steps: shown ? null : steps }, output),
      );
      for (const note of shown ? [] : recordNotes) output.print(`\n${recordNoteView(note)}`);
      for (const note of notes) output.print(`\n${noteView(note, output)}`);
      if (!shown) output.note(`Every entry: ${ctx.commandLine(['runs', 'show', run.runId, '--entries'])}`);
    }
    return EXIT.ok;
  });
};

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
    ['begun', `${run.begunAt} by ${run.actor}`],
    ['state', `sealed ${run.sealedAt}, outcome ${run.outcome}`],
    ['entries', `${run.entryCount}, not in the store any more`],
  ];
  if ('reason' in checked) rows.push(['tombstone', `not to be trusted: it ${checked.reason}`]);
  else rows.push(['pruned', `${checked.at} by ${checked.by}`], ['archive', checked.archive ?? 'none']);
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
  return `note ${at} by ${escapeForTerminal(by)}${signature}\n  ${lines}`;
}

/** Shows an exported record, and whether it is intact. */
async function showFile(call: Call<[string], RunsShowOptions>): Promise<number> {
  const lines = await readLedgerLines(call.args[0], call.io);
  return withContext(call, { dryRun: true }, async (ctx) => {
    const report = await reportOfLines(ctx, lines);
    const { options, output } = call;
    if (output.json) {
      output.object({ ...report, lines: undefined });
      return EXIT.ok;
    }
    output.print(heading(report.title, { color: output.color }));
    output.print(`\n${escapeForTerminal(headline(report))}`);
    output.print(
      report.verification.status === 'broken'
        ? `The record is damaged; ${programName()} verify names the entries.\n`
        : report.outcome === null
          ? 'The run is open.\n'
          : `Sealed with outcome ${report.outcome}, ${report.sealedAt}.\n`,
    );
    if (options.entries || options.full) {
      for (const { seq, at, text, details } of report.events) {
        output.print(escapeForTerminal(`${String(seq).padStart(4)}  ${at}  ${text}`));
        for (const detail of details)
          output.print(`        ${escapeForTerminal(detail, { keepTabs: true })}`);
      }
    } else output.print(await stepsView(report.steps, output));
    return EXIT.ok;
  });
}

export interface RunsShowOptions {
  entries?: boolean;
  full?: boolean;
}
