import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KairosError } from '../base/errors.ts';
import { clearDrafts, writeFileAtomically } from '../host/files/write-file.ts';
import { checkNote, checkTombstone, type SealedNote, signNote, signTombstone } from '../ledger/beside.ts';
import type { ReportNote } from '../report/model.ts';
import { redactExactly } from '../run/ports.ts';
import { orDamaged, pruned } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { record } from './next.ts';
import { loadRun } from './run/transact.ts';
import { listedRun } from './runs.ts';
import { verifyRun } from './verify.ts';

export interface PruneOptions {
  /** Only runs that were sealed before this, in milliseconds since the epoch. */
  sealedBefore: number;
  /** So many of the newest runs of each protocol stay. */
  keepLast: number;
  /** Whether a run is of the protocol that is meant; absent for all. */
  isOf?: ((run: RunRow) => boolean) | undefined;
  /** The folder for the records; null: they are lost. */
  archive: string | null;
  dryRun: boolean;
}

/** What became of a run that is old enough. */
export interface PrunedRun {
  run: RunRow;
  /** The file with its record; null without an archive. */
  archive: string | null;
  /** Why it stays; null when it was pruned, or would be. `wanted`: because `keepLast` keeps it. */
  kept: { reason: string; wanted: boolean } | null;
}

/**
 * Removes the records of old sealed runs from the store: each is verified, archived, read back, and only then replaced by a
 * signed tombstone. A damaged record stays, because it is evidence, and so does one that cannot be archived. `onRun` is called
 * after each run. Throws FILE_UNWRITABLE, before anything is removed, for an archive that cannot be a folder.
 */
export async function pruneRuns(
  ctx: OperationContext,
  options: PruneOptions,
  onRun: (pruned: PrunedRun) => void,
): Promise<void> {
  if (ctx.readOnly)
    throw new KairosError('READ_ONLY', 'runs cannot be pruned here', {
      hint: 'Prune where the store can be written to.',
    });
  const { archive, dryRun, keepLast } = options;
  const runs = await oldRuns(ctx, options);
  const folder = dryRun || runs.every(({ isKept }) => isKept) ? null : archive;
  if (folder !== null) await makeFolder(folder);
  for (const { run, isKept } of runs) {
    const kept = { reason: `one of the newest ${keepLast} of its protocol`, wanted: true };
    onRun(isKept ? { run, archive: null, kept } : await pruneRun(ctx, run, options));
  }
  if (folder !== null) await clearDrafts(folder, ARCHIVE);
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw new KairosError('FILE_UNWRITABLE', `the archive ${folder} cannot be a folder: ${cause.message}`, {
      hint: 'Nothing was removed. Name another folder with --archive.',
      cause,
    });
  });
}

/** The name of an archive. */
const ARCHIVE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/;

/** A run that is old enough to be pruned, and whether `keepLast` keeps it. */
interface OldRun {
  run: RunRow;
  isKept: boolean;
}

async function oldRuns(
  ctx: OperationContext,
  { sealedBefore, keepLast, isOf }: PruneOptions,
): Promise<OldRun[]> {
  const rows = await ctx.store.findRuns({ spaces: [ctx.caller.space], open: false });
  const newer = new Map<string, number>();
  const old: OldRun[] = [];
  for (const run of rows) {
    const count = newer.get(run.chainId) ?? 0;
    newer.set(run.chainId, count + 1);
    const isOld = run.sealedAt !== null && Date.parse(run.sealedAt) < sealedBefore;
    const isAsked = isOf === undefined || isOf(run);
    if (isOld && isAsked && run.tombstone === undefined) old.push({ run, isKept: count < keepLast });
  }
  return old.reverse();
}

async function pruneRun(ctx: OperationContext, run: RunRow, options: PruneOptions): Promise<PrunedRun> {
  const stays = (reason: string, wanted = false) => ({ run, archive: null, kept: { reason, wanted } });
  const { runId } = run;
  const archive = options.archive === null ? null : join(options.archive, `${runId}.jsonl`);
  try {
    const { status } = await verifyRun(ctx, runId, { trustedKeys: undefined, ownKeys: [] });
    if (status === 'whole') {
      const isArchived = archive === null || (await writeArchive(ctx, runId, archive, options.dryRun));
      if (options.dryRun) return { run, archive, kept: null };
      const tombstone = isArchived ? await tombstoneOf(ctx, run, archive) : null;
      if (tombstone !== null && (await ctx.store.pruneRun(runId, run.head, tombstone)))
        return { run, archive, kept: null };
    }
    if ((await ctx.store.findRun(runId))?.tombstone !== undefined)
      return stays('another process has pruned it', true);
    return stays(status === 'whole' ? 'it changed meanwhile' : 'its record is damaged');
  } catch (error) {
    // The others can still be pruned.
    if (error instanceof KairosError && error.code === 'FILE_UNWRITABLE') return stays(error.message);
    throw error;
  }
}

/** False: the record was removed. An archive that is there already, or was just written by another process, must be of the same bytes. */
async function writeArchive(
  ctx: OperationContext,
  runId: string,
  archive: string,
  dryRun: boolean,
): Promise<boolean> {
  const lines = await ctx.store.readLines(runId);
  if (lines.length === 0) return false;
  const text = lines.map((line) => `${line}\n`).join('');
  if (dryRun && !existsSync(archive)) return true;
  if (!dryRun) {
    await writeFileAtomically(archive, text, false, 0o600).catch((error: unknown) => {
      if (!existsSync(archive)) throw error;
    });
  }
  const found = await readFile(archive, 'utf8').catch(() => null);
  if (found !== text)
    throw new KairosError('FILE_UNWRITABLE', `${archive} is not the record of this run`, {
      hint: 'Move that file away, or name another folder with --archive.',
    });
  return true;
}

/** Null: its seal was removed, because another process has pruned the run. */
async function tombstoneOf(
  ctx: OperationContext,
  run: RunRow,
  archive: string | null,
): Promise<string | null> {
  const seal = await ctx.store.readSeal(run.runId);
  if (seal === null || run.sealedAt === null || run.outcome === null) return null;
  const { host, passed, steps } = await listedRun(ctx, run);
  return signTombstone(
    {
      v: 1,
      kind: 'tombstone',
      run_id: run.runId,
      space: run.space,
      chain_id: run.chainId,
      digest: run.digest,
      slug: run.slug,
      title: run.title,
      actor: run.actor,
      session: run.session,
      begun_at: run.begunAt,
      sealed_at: run.sealedAt,
      outcome: run.outcome,
      head: run.head,
      count: run.entryCount,
      seal: seal.seal,
      pruned_at: new Date(ctx.clock()).toISOString(),
      by: ctx.caller.actor,
      archive,
      host,
      passed,
      steps,
    },
    await ctx.sealingKey(),
  );
}

/** Records a note in an open run; false: it is sealed. */
export async function noteOpen(ctx: OperationContext, runId: string, text: string): Promise<boolean> {
  return record(ctx, runId, 'run.noted', { text: await redactNote(ctx, runId, text), by: ctx.caller.actor });
}

/**
 * Redacts a run's secrets too, whose values this program may not know: each part between white space or punctuation is compared
 * with the keyed digests on record.
 */
async function redactNote(ctx: OperationContext, runId: string, text: string): Promise<string> {
  const loaded = await orDamaged(loadRun(ctx, runId));
  const secrets = loaded === null || loaded === 'damaged' ? [] : [...loaded.state.secrets];
  const digest = secrets.length === 0 ? undefined : await ctx.valueDigest?.();
  if (digest === undefined) return ctx.redact(text);
  const found: Record<string, string> = {};
  for (const part of partsOf(text)) {
    for (const [name, recorded] of secrets) if (digest(runId, name, part) === recorded) found[name] = part;
  }
  return redactExactly(ctx.redact)(found)(text);
}

/** Words and separators that a part of a text has at most. */
const MOST_WORDS = 24;

/** The parts of a text that a secret may be. */
function partsOf(text: string): Set<string> {
  const words = text.split(/(?<=[\s\p{P}\p{S}])|(?=[\s\p{P}\p{S}])/u);
  const parts = new Set<string>();
  for (let from = 0; from < words.length; from += 1) {
    let part = '';
    for (const word of words.slice(from, from + MOST_WORDS)) {
      part += word;
      parts.add(part);
    }
  }
  return parts;
}

/** Keeps a signed note next to a sealed run. The record itself is unchanged. */
export async function noteSealed(ctx: OperationContext, run: RunRow, text: string): Promise<void> {
  const kept = run.tombstone === undefined ? await ctx.store.readSeal(run.runId) : JSON.parse(run.tombstone);
  const note = await signNote(
    {
      v: 1,
      kind: 'note',
      run_id: run.runId,
      head: run.head,
      count: run.entryCount,
      seal: String(kept?.seal.signature ?? ''),
      at: new Date(ctx.clock()).toISOString(),
      by: ctx.caller.actor,
      text: run.tombstone === undefined ? await redactNote(ctx, run.runId, text) : ctx.redact(text),
    },
    await ctx.sealingKey(),
  );
  if (!(await ctx.store.addNote(run.runId, note)))
    throw new KairosError('INTERNAL', `run ${run.runId} accepts no note`);
}

/** When, by whom and where to a run was pruned; `reason`: what is wrong with its tombstone. */
export function tombstoneFacts(
  run: RunRow,
  text: string,
): { at: string; by: string; archive: string | null } | { reason: string } {
  const checked = checkTombstone(text, run.runId);
  if (!checked.ok) return { reason: checked.reason };
  const { pruned_at: at, by, archive } = checked.value;
  return { at, by, archive };
}

/** The lines of a run's record. Throws RUN_PRUNED. */
export async function recordLines(ctx: OperationContext, { runId, tombstone }: RunRow): Promise<string[]> {
  if (tombstone !== undefined) throw pruned(runId, tombstone);
  return ctx.store.readLines(runId);
}

/** The notes next to a run, oldest first. */
export async function notesOf(ctx: OperationContext, run: RunRow): Promise<ReportNote[]> {
  return (await ctx.store.readNotes(run.runId)).map((text) => {
    const checked = checkNote(text, run.runId);
    if (!checked.ok) return { at: '', by: '', text, signed_by: null };
    const { at, by, text: said } = checked.value;
    return { at, by, text: said, signed_by: isOf(checked.value, run) ? checked.fingerprint : null };
  });
}

function isOf({ head, count }: SealedNote, run: RunRow): boolean {
  return head === run.head && count === run.entryCount;
}
