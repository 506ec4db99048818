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

/** `kairos verify`. With `--json` one object for each record, one a line. */
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

/** A ledger can't prove whose key sealed it, but the caller knows their own key. */
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
  // Read before the lines: entries that others append to an open run meanwhile are not a loss.
  const row = await ctx.store.findRun(runId);
  const lines = await ctx.store.readLines(runId);
  const begun = parseEntry(lines[0] ?? '')?.data;
  if (![row?.space, begun?.space].includes(ctx.caller.space)) throw noRun(ctx, record);
  const verification = verifyLedger(lines, { ...options, runId, expectSealed: row?.sealedAt != null });
  const counted = (await ctx.store.findRun(runId))?.entryCount ?? 0;
  const beyond = verification.status !== 'broken' && counted < verification.entries;
  const beside = [
    ...(await contentFindings(ctx, begun)),
    ...(row === null ? [finding('index-differs', `The store no longer lists this run. ${RESTORE}`)] : []),
    ...(row === null ? [] : indexFindings(row, lines, verification, beyond)),
  ];
  return {
    ...verification,
    status: beside.length > 0 ? 'broken' : verification.status,
    findings: [...verification.findings, ...beside],
  };
}

/** Null for a line that isn't a JSON object, which has its own finding. */
function parseEntry(line: string): LedgerEntry | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as LedgerEntry) : null;
  } catch {
    return null;
  }
}

type BesideFinding = RecordCheck['findings'][number];

/** The content of the run must match the digest in its first entry. */
async function contentFindings(
  ctx: OperationContext,
  begun: { chain_id?: unknown; digest?: unknown } | undefined,
): Promise<BesideFinding[]> {
  if (typeof begun?.chain_id !== 'string' || typeof begun.digest !== 'string') return [];
  const revision = await orDamaged(ctx.store.revisionByDigest(begun.chain_id, begun.digest));
  if (revision === null) {
    return [finding('content-missing', 'The store does not have the content of this run.')];
  }
  if (revision !== 'damaged') return [];
  return [finding('content-edited', 'The content of this run was changed in the store.')];
}

/** An index next to the ledger lists and finds runs. Every entry without a finding must agree with it. */
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
        ? `Entries of this run: the store has counted ${row.entryCount}, and the ledger has ${entries}. ${RESTORE}`
        : `The store's index of runs differs from this entry in: ${fields.join(', ')}. ${status === 'whole' ? REINDEX : RESTORE}`,
    ),
    entry,
  }));
}

/**
 * An intact sealed ledger takes precedence over the index; otherwise it is unknown which of the two was
 * changed.
 */
const REINDEX =
  'The ledger is correct. To rebuild the index: kairos store export FILE, then kairos store import FILE --store NEW.';
const RESTORE = 'Restore the store from a backup.';

function finding(code: string, message: string): BesideFinding {
  return { code, severity: 'error', entry: null, line: null, message };
}
