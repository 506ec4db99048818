import { ownKeyFingerprint } from '../../../host/keys/own-key.ts';
import type { LedgerEntry } from '../../../ledger/entry.ts';
import { type Verification, type VerifyOptions, verifyLedger } from '../../../ledger/verify.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { orDamaged } from '../../../store/intact-store.ts';
import type { RunRow } from '../../../store/port.ts';
import { rowFaults } from '../../../store/row-faults.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { reportError } from '../../errors.ts';
import { EXIT } from '../../io.ts';
import { readLedgerLines } from '../../read-ledger.ts';
import { requireOneStdin, sourceName } from '../../read-source.ts';
import type { RecordCheck } from '../../views/verification.ts';
import { verificationView } from '../../views/verification.ts';
import { noRun } from '../stored-run.ts';
import type { VerifyCommandOptions } from './options.ts';

/** `kairos verify`. With `--json` one object for each record, in a line of its own. */
export const verifyCommand: Handler<[string[]], VerifyCommandOptions> = async (call) => {
  const [records] = call.args;
  requireOneStdin(records);
  let worst: number = EXIT.ok;
  for (const record of records) {
    const code = await verifyRecord(call, record).catch((error: unknown) =>
      reportError(error, call.output, call.options.debug === true),
    );
    worst = Math.max(worst, code);
  }
  return worst;
};

async function verifyRecord(call: Call<[string[]], VerifyCommandOptions>, record: string): Promise<number> {
  const { key } = call.options;
  const options: VerifyOptions = key === undefined ? {} : { trustedKeys: key };
  const found = isRunId(record)
    ? await withContext(call, {}, (ctx) => checkRun(ctx, record, options))
    : verifyLedger(await readLedgerLines(record, call.io), options);
  const check = { record: sourceName(record), ...(await withOwnKey(call, found)) };
  if (call.output.json) call.output.object(check);
  else call.output.print(verificationView(check, call.output));
  return check.status === 'whole' ? EXIT.ok : EXIT.failed;
}

type Found = Omit<RecordCheck, 'record' | 'own_key'>;

/** Whose key it was a ledger cannot tell; but whoever asks knows their own. */
async function withOwnKey(call: Call<[string[]], VerifyCommandOptions>, found: Found) {
  const own = found.sealed_by === null ? null : await ownKeyFingerprint(await openHost(call), call.io.cwd);
  if (own === null || own !== found.sealed_by) return { ...found, own_key: false };
  return {
    ...found,
    own_key: true,
    findings: found.findings.filter(({ code }) => code !== 'seal-key-unchecked'),
  };
}

function isRunId(record: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(record);
}

async function checkRun(ctx: OperationContext, record: string, options: VerifyOptions): Promise<Found> {
  const runId = record.toLowerCase();
  // Before the lines: an open run grows, so what others append in between is no sign of loss.
  const row = await ctx.store.findRun(runId);
  const lines = await ctx.store.readLines(runId);
  const begun = parseEntry(lines[0] ?? '')?.data;
  if (![row?.space, begun?.space].includes(ctx.caller.space)) throw noRun(ctx, record);
  const verification = verifyLedger(lines, { ...options, runId, expectSealed: row?.sealedAt != null });
  const counted = (await ctx.store.findRun(runId))?.entryCount ?? 0;
  const beyond = verification.status !== 'broken' && counted < verification.entries;
  const beside = [
    ...(await contentFindings(ctx, begun)),
    ...(row === null
      ? [finding('index-differs', `The store does not list this run any more. ${RESTORE}`)]
      : []),
    ...(row === null ? [] : indexFindings(row, lines, verification, beyond)),
  ];
  return {
    ...verification,
    status: beside.length > 0 ? 'broken' : verification.status,
    findings: [...verification.findings, ...beside],
  };
}

/** Null for a line that is no JSON object, which has its finding. */
function parseEntry(line: string): LedgerEntry | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as LedgerEntry) : null;
  } catch {
    return null;
  }
}

type BesideFinding = RecordCheck['findings'][number];

/** The words that the run was walked by must be the ones that its first entry names. */
async function contentFindings(
  ctx: OperationContext,
  begun: { chain_id?: unknown; digest?: unknown } | undefined,
): Promise<BesideFinding[]> {
  if (typeof begun?.chain_id !== 'string' || typeof begun.digest !== 'string') return [];
  const revision = await orDamaged(ctx.store.revisionByDigest(begun.chain_id, begun.digest));
  if (revision === null) {
    return [finding('content-missing', 'The store does not have the content that the run was begun with.')];
  }
  if (revision !== 'damaged') return [];
  return [
    finding('content-edited', 'The content that the run was begun with has been changed in the store.'),
  ];
}

/** Runs are listed and found by an index beside the ledger, which every entry without a finding has to bear out. */
function indexFindings(
  row: RunRow,
  lines: readonly string[],
  { findings, status, entries }: Verification,
  beyond: boolean,
): BesideFinding[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isKnown = (at: number) =>
    errors.some(({ entry, last }) => entry !== null && entry <= at && at <= (last ?? entry));
  const sound = lines
    .map(parseEntry)
    .filter((entry) => entry !== null)
    .map((entry) => [entry.seq, entry] as const)
    .filter(([seq]) => !isKnown(seq));
  const faults = beyond ? [{ entry: null, fields: ['entries'] }] : rowFaults(row, new Map(sound), isKnown);
  return faults.map(({ entry, fields }) => ({
    ...finding(
      'index-differs',
      entry === null
        ? `Entries of this run: the store has counted ${row.entryCount}, and the ledger holds ${entries}. ${RESTORE}`
        : `The store's index of runs differs from this entry in: ${fields.join(', ')}. ${status === 'whole' ? REINDEX : RESTORE}`,
    ),
    entry,
  }));
}

/** A sealed ledger that is whole counts before what stands beside it; else nobody can tell which of the two was changed. */
const REINDEX =
  'The ledger counts; to make the index anew: kairos store export FILE, then kairos store import FILE --store NEW.';
const RESTORE = 'Restore the store from a copy.';

function finding(code: string, message: string): BesideFinding {
  return { code, severity: 'error', entry: null, line: null, message };
}
