import { sha256Hex } from '../base/canonical.ts';
import { hereCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { runStatement, signAttestation, sigstoreBundle } from '../ledger/attestation.ts';
import type { LedgerEntry, Seal } from '../ledger/entry.ts';
import { entryOf, readLine } from '../ledger/line.ts';
import { verifyLedger } from '../ledger/verify.ts';
import type { ChainContent } from '../protocol/model.ts';
import { type RunReport, reportPruned, reportRun } from '../report/model.ts';
import { orDamaged, pruned } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import { runFacts, sealFacts } from '../store/run-row.ts';
import type { OperationContext } from './context.ts';
import { notesOf, recordLines } from './prune.ts';
import { factsOf, type RecordedRun } from './runs.ts';

/** The report of a run of the store, with the notes next to it. Throws RUN_PRUNED. */
export async function reportOfRun(ctx: OperationContext, run: RunRow): Promise<RunReport> {
  if (run.tombstone !== undefined) throw pruned(run.runId, run.tombstone);
  const report = await reportOfLines(ctx, await ctx.store.readLines(run.runId));
  return run.sealedAt === null ? report : { ...report, notes: await notesOf(ctx, run) };
}

/** What statistics count of runs: of pruned ones the row, of damaged ones nothing. */
export async function countedReports(
  ctx: OperationContext,
  rows: readonly RunRow[],
): Promise<{ reports: RunReport[]; damaged: number }> {
  const reports: RunReport[] = [];
  let damaged = 0;
  for (const row of rows) {
    const report = row.tombstone === undefined ? await reportOrNull(ctx, row) : reportPruned(row);
    // The record itself is not counted in, and would be most of what is held.
    if (report === null) damaged += 1;
    else reports.push({ ...report, lines: [], events: [] });
  }
  return { reports, damaged };
}

async function reportOrNull(ctx: OperationContext, row: RunRow): Promise<RunReport | null> {
  try {
    return await reportOfLines(ctx, await ctx.store.readLines(row.runId));
  } catch (error) {
    if (error instanceof KairosError && ['INVALID_INPUT', 'STORE_DAMAGED'].includes(error.code)) return null;
    throw error;
  }
}

/** Returns the report of an exported record. Throws LEDGER_UNREADABLE or INVALID_INPUT. */
export async function reportOfLines(ctx: OperationContext, lines: readonly string[]): Promise<RunReport> {
  return (await readRecord(ctx, lines)).report;
}

/** The text of the steps is that of the store, which has the inputs in the author's order, or else that of the record. */
async function readRecord(ctx: OperationContext, lines: readonly string[]) {
  const entries = entriesOf(lines);
  const begun = entries[0]?.data;
  if (begun === undefined) {
    throw new KairosError('INVALID_INPUT', 'the record contains no readable entry', {
      hint: `Give the id of a run, or a file of: ${hereCommand(['runs', 'export', 'RUN', '--out', 'FILE'])}`,
    });
  }
  const contents: (ChainContent | null)[] = [];
  for (const entry of entries.filter(({ kind }, at) => at === 0 || kind === 'run.rebased'))
    contents.push(
      (await storedContent(ctx, begun.chain_id, entry.data.digest)) ?? (await recordedContent(entry)),
    );
  return { entries, content: contents.at(-1) ?? null, report: reportRun({ lines, entries, contents }) };
}

/** The text of the revision in an entry; null where it has none, or another than its digest names. */
async function recordedContent({ data }: LedgerEntry): Promise<ChainContent | null> {
  const { content_json: text, digest } = data;
  if (typeof text !== 'string' || sha256Hex(text) !== digest) return null;
  const { contentOfJson } = await import('./moving/read-export.ts');
  return contentOfJson(text);
}

async function storedContent(
  ctx: OperationContext,
  chainId: unknown,
  digest: unknown,
): Promise<ChainContent | null> {
  const revision = await orDamaged(ctx.store.revisionByDigest(String(chainId), String(digest)));
  return revision === null || revision === 'damaged' ? null : revision.content;
}

/** An exported record: its report, and its run as `runRecord` has it; null for a damaged record. */
export async function recordOfLines(
  ctx: OperationContext,
  lines: readonly string[],
): Promise<{
  report: RunReport;
  content: ChainContent | null;
  record: Omit<RecordedRun, 'content' | 'isContentDamaged'> | null;
}> {
  const { report, entries, content } = await readRecord(ctx, lines);
  const { status, head, entries: entryCount } = report.verification;
  if (status === 'broken' || head === null) return { report, content, record: null };
  const seal = lines.map((line, at) => readLine(line, at + 1)).find(({ kind }) => kind === 'seal');
  const run = {
    runId: report.runId,
    storeSeq: 0,
    ...runFacts(entries),
    digest: report.digest,
    ...sealFacts(entries),
    head,
    entryCount,
  };
  const facts = factsOf(entries, null);
  return { report, content, record: { run, entries, seal: (seal?.value ?? null) as Seal | null, facts } };
}

/** The well-formed entries of a record. */
function entriesOf(lines: readonly string[]): LedgerEntry[] {
  return lines
    .map((line, at) => readLine(line, at + 1))
    .filter(({ kind, fault }) => kind === 'entry' && fault?.code !== 'malformed')
    .map(entryOf);
}

/** DSSE envelope, Sigstore bundle, or the unsigned in-toto statement. */
export type AttestationFormat = 'dsse' | 'bundle' | 'statement';

/** A run of the store, or the lines of an exported record with the fingerprints of the caller's keys. */
type AttestedRecord = RunRow | { lines: readonly string[]; ownKeys: readonly string[] };

/**
 * The attestation of a sealed run. Throws for a run that is open, or whose record is damaged: kairos signs neither, and of exported
 * records only those that the caller's keys have sealed.
 */
export async function attestationOf(
  ctx: OperationContext,
  source: AttestedRecord,
  format: AttestationFormat,
): Promise<{ runId: string; attestation: object }> {
  const isFile = 'lines' in source;
  const lines = isFile ? source.lines : await recordLines(ctx, source);
  const { status, sealed_by: sealedBy, run_id } = verifyLedger(lines, isFile ? {} : { runId: source.runId });
  const runId = run_id ?? 'without an id';
  if (status === 'broken') {
    throw new KairosError(
      isFile ? 'INVALID_INPUT' : 'STORE_DAMAGED',
      `the record of run ${runId} is damaged`,
      { hint: `See what was changed with: ${ctx.commandLine(['verify', isFile ? 'FILE' : runId])}` },
    );
  }
  if (sealedBy === null) {
    throw new KairosError('INVALID_INPUT', `run ${runId} is open, and only a sealed run can be attested`, {
      hint: isFile
        ? 'Export the run again after it has ended.'
        : `Finish it, or close it with: ${ctx.commandLine(['runs', 'close', runId, '--reason', 'TEXT'])}`,
    });
  }
  const entries = entriesOf(lines);
  const seal = JSON.parse(lines.at(-1)!) as Seal;
  if (format === 'statement') return { runId, attestation: runStatement(entries, seal) };
  if (isFile && !source.ownKeys.includes(sealedBy)) {
    throw new KairosError(
      'INVALID_INPUT',
      `the record of run ${runId} is sealed by the key ${sealedBy}, which is not yours`,
      {
        hint: 'Attest the run on the machine that sealed it, or write the statement without a signature: --format statement',
      },
    );
  }
  const key = await ctx.sealingKey();
  const envelope = await signAttestation(runStatement(entries, seal, key.publicKey), key);
  return { runId, attestation: format === 'bundle' ? sigstoreBundle(envelope) : envelope };
}
