import { join, resolve } from 'node:path';
import { formatDuration, localTime } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { attest } from '../../../operations/attest.ts';
import { noteOpen, noteSealed, type PrunedRun, pruneRuns, recordLines } from '../../../operations/prune.ts';
import { runsNamed } from '../../../operations/target.ts';
import { stepUri } from '../../../protocol/identity.ts';
import { type ActorOptions, type Handler, writeOut } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { namedRun } from '../../views/run.ts';
import { printRunAnswer } from '../walk/answer-walk.ts';

/** `kairos runs note`. With `--json`: `{run_id, noted, where}`: in the `record`, or `beside` a sealed one. */
export const runsNoteCommand: Handler<[string, string], ActorOptions> = (call) =>
  withContext(call, { actor: call.options.actor }, async (ctx) => {
    const [reference, text] = call.args;
    if (text.trim() === '')
      throw new KairosError('USAGE', 'the note is empty', { hint: 'Write the note as the second argument.' });
    const run = await namedRun(ctx, call.output, reference);
    const { runId } = run;
    const inRecord = run.sealedAt === null && (await noteOpen(ctx, runId, text));
    // It may have been sealed meanwhile.
    if (!inRecord) await noteSealed(ctx, (await ctx.store.findRun(runId)) ?? run, text);
    const where = inRecord ? 'record' : 'beside';
    if (call.output.json) call.output.object({ run_id: runId, noted: true, where });
    else if (inRecord) call.output.print(`Noted in run ${runId}.`);
    else
      call.output.print(`Noted next to run ${runId}, signed with your key. Its sealed record is unchanged.`);
    return EXIT.ok;
  });

/** `kairos runs close`. With `--json`: the same object as `kairos attest`. */
export const runsCloseCommand: Handler<[string], RunsCloseOptions> = (call) =>
  withContext(call, { actor: call.options.actor }, async (ctx) => {
    const { reason } = call.options;
    if (reason.trim() === '')
      throw new KairosError('USAGE', '--reason is empty', { hint: 'Explain why the run ends.' });
    const run = await namedRun(ctx, call.output, call.args[0]);
    if (run.sealedAt !== null) {
      throw new KairosError(
        'INVALID_INPUT',
        `run ${run.runId} is sealed already, with outcome ${run.outcome}`,
        { hint: `Add a note to it with: ${ctx.commandLine(['runs', 'note', run.runId])} TEXT` },
      );
    }
    const uri = stepUri(run.chainId, 1);
    return printRunAnswer(
      ctx,
      call,
      await attest(ctx, { uri, outcome: 'failure', message: reason, run_id: run.runId }),
    );
  });

export interface RunsCloseOptions extends ActorOptions {
  reason: string;
}

/** `kairos runs export`. With `--out` and `--json`: `{run_id, file, entries, sealed}`. */
export const runsExportCommand: Handler<[string], RunsExportOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output } = call;
    const run = await namedRun(ctx, output, args[0]);
    const { runId, sealedAt } = run;
    const lines = await recordLines(ctx, run);
    const sealed = sealedAt !== null;
    const entries = lines.length - (sealed ? 1 : 0);
    const text = lines.map((line) => `${line}\n`).join('');
    const file = await writeOut(call, text, { json: true });
    if (file !== null && output.json) output.object({ run_id: runId, file, entries, sealed });
    else if (file !== null) output.print(`${entries} entries written to ${escapeForTerminal(file)}`);
    if (!sealed && !output.json) output.note('This run is not sealed: the record may still grow.');
    return EXIT.ok;
  });

export interface RunsExportOptions {
  out?: string;
  force?: boolean;
}

/** `kairos runs prune`. With `--json`: `{dry_run, pruned[] {run_id, archive}, kept[] {run_id, reason}}`. Exit 1 if a run stays that should go. */
export const runsPruneCommand: Handler<[], RunsPruneOptions> = (call) =>
  withContext(call, {}, async (ctx, host) => {
    const { options, io, output } = call;
    const { olderThan, keepLast = 0, protocol, dryRun = false } = options;
    if (olderThan > io.now())
      throw new KairosError('USAGE', '--older-than lies in the future', {
        hint: 'Write an age such as 90d.',
      });
    const folder = options.archive === undefined ? join(host.folders.data, 'archive') : options.archive;
    const archive = folder === false ? null : resolve(io.cwd, folder);
    const found: PrunedRun[] = [];
    const isOf = protocol === undefined ? undefined : await runsNamed(ctx, protocol, io);
    const prune = { sealedBefore: olderThan, keepLast, isOf, archive, dryRun };
    await pruneRuns(ctx, prune, (pruned) => {
      found.push(pruned);
      if (!output.json) output.print(lineOf(pruned, dryRun, io.now()));
    });
    const kept = found.flatMap(({ run, kept: why }) => (why === null ? [] : [{ run, ...why }]));
    const gone = found.filter((one) => one.kept === null);
    if (output.json) {
      output.object({
        dry_run: dryRun,
        pruned: gone.map(({ run, archive: file }) => ({ run_id: run.runId, archive: file })),
        kept: kept.map(({ run, reason }) => ({ run_id: run.runId, reason })),
      });
    } else {
      const before = `sealed before ${localTime(new Date(olderThan).toISOString(), 'short')}`;
      const where = archive === null ? 'without an archive' : `to ${escapeForTerminal(archive)}`;
      const stay = kept.filter(({ wanted }) => !wanted).length;
      if (found.length === 0) output.print(`No run was ${before}.`);
      else {
        output.note(
          `${countOf(gone.length)} ${before} ${dryRun ? 'would be pruned' : 'pruned'} ${where}.${stay === 0 ? '' : ` ${countOf(stay)} could not be pruned.`}`,
        );
      }
    }
    return kept.every(({ wanted }) => wanted) ? EXIT.ok : EXIT.failed;
  });

const countOf = (runs: number) => `${runs} ${runs === 1 ? 'run' : 'runs'}`;

function lineOf({ run, kept }: PrunedRun, dryRun: boolean, now: number): string {
  const age = formatDuration(now - Date.parse(run.sealedAt ?? run.begunAt));
  const what = kept === null ? (dryRun ? 'would be pruned' : 'pruned') : `stays: ${kept.reason}`;
  return escapeForTerminal(`${run.runId.slice(0, 8)}  ${run.title}, sealed ${age} ago: ${what}`);
}

export interface RunsPruneOptions {
  /** Milliseconds since the epoch. */
  olderThan: number;
  keepLast?: number;
  protocol?: string;
  /** False: none. */
  archive?: string | false;
  dryRun?: boolean;
}
