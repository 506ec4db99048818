import { KairosError } from '../../../base/errors.ts';
import { ownKeyFingerprint } from '../../../host/keys/sealing-key.ts';
import type { LedgerEntry } from '../../../ledger/entry.ts';
import { type Verification, type VerifyOptions, verifyLedger } from '../../../ledger/verify.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { orDamaged } from '../../../store/intact.ts';
import type { RunRow } from '../../../store/port.ts';
import { rowFaults } from '../../../store/run-row.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { reportError } from '../../errors.ts';
import { EXIT } from '../../io.ts';
import { readLedgerLines, requireOneStdin, sourceName } from '../../read-source.ts';
import { type RecordCheck, verificationView } from '../../views/verification.ts';
import { isRunReference, noRun, storedRun } from '../stored-run.ts';

/** `kairos verify`. With `--json` one object for each record, one a line. */
export const verifyCommand: Handler<[string[]], VerifyCommandOptions> = async (call) => {
  const { args, options } = call;
  const [records] = args;
  if ((records.length === 0) !== (options.all === true)) {
    throw new KairosError('USAGE', 'nothing to verify, or both records and --all', {
      hint: 'Name runs or exported files, or use --all for every run of the space.',
    });
  }
  requireOneStdin(records);
  const host = await openHost(call);
  const checker: Checker = {
    call,
    options: options.key === undefined ? {} : { trustedKeys: options.key },
    ownKey: await ownKeyFingerprint(host, call.io.cwd),
  };
  if (options.all === true) return withContext(call, {}, (ctx) => verifyAll(checker, ctx));
  if (!records.some(isRunReference)) return verifyEach(checker, null, records);
  return withContext(call, {}, (ctx) => verifyEach(checker, ctx, records));
};

/** What checking any number of records needs: opened once. */
interface Checker {
  call: Call<[string[]], VerifyCommandOptions>;
  options: VerifyOptions;
  /** Fingerprint of the caller's own sealing key. */
  ownKey: string | null;
}

async function verifyEach(
  checker: Checker,
  ctx: OperationContext | null,
  records: readonly string[],
): Promise<number> {
  const { call, options } = checker;
  let worst: number = EXIT.ok;
  for (const record of records) {
    const check = async () => {
      const found =
        ctx !== null && isRunReference(record)
          ? await checkRun(ctx, await runIdOf(ctx, record), options)
          : verifyLedger(await readLedgerLines(record, call.io), options);
      return report(checker, sourceName(record), found, true);
    };
    const code = await check().catch((error: unknown) =>
      reportError(error, call.output, call.options.debug === true),
    );
    worst = Math.max(worst, code);
  }
  return worst;
}

/** For people only what is not whole is printed, and how many there are of each. */
async function verifyAll(checker: Checker, ctx: OperationContext): Promise<number> {
  const { call, options } = checker;
  const runs = await ctx.store.findRuns({ spaces: [ctx.caller.space] });
  const counts = new Map<string, number>();
  let worst: number = EXIT.ok;
  for (const { runId } of runs) {
    const found = await checkRun(ctx, runId, options);
    counts.set(found.status, (counts.get(found.status) ?? 0) + 1);
    const code = report(checker, runId, found, found.status === 'broken');
    // An open run is no fault of the store.
    if (found.status !== 'unsealed') worst = Math.max(worst, code);
  }
  if (!call.output.json) {
    const parts = [...counts].map(([status, count]) => `${count} ${status}`);
    call.output.print(`${runs.length} ${runs.length === 1 ? 'run' : 'runs'}: ${parts.join(', ') || 'none'}`);
  }
  return worst;
}

function report({ call, ownKey }: Checker, record: string, found: Found, print: boolean): number {
  const isOwn = found.sealed_by !== null && found.sealed_by === ownKey;
  // Whose key it was a ledger cannot tell; but whoever asks knows their own.
  const findings = isOwn
    ? found.findings.filter(({ code }) => code !== 'seal-key-unchecked')
    : found.findings;
  const check = { record, ...found, own_key: isOwn, findings };
  if (call.output.json) call.output.object(check);
  else if (print) call.output.print(verificationView(check, call.output));
  return check.status === 'whole' ? EXIT.ok : EXIT.failed;
}

type Found = Omit<RecordCheck, 'record' | 'own_key'>;

/** A run that the index does not list any more may still have entries. */
async function runIdOf(ctx: OperationContext, record: string): Promise<string> {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(record)) return record.toLowerCase();
  return (await storedRun(ctx, record)).runId;
}

async function checkRun(ctx: OperationContext, runId: string, options: VerifyOptions): Promise<Found> {
  // Before the lines: an open run grows, so what others append in between is no sign of loss.
  const row = await ctx.store.findRun(runId);
  const lines = await ctx.store.readLines(runId);
  const begun = parseEntry(lines[0] ?? '')?.data;
  if (![row?.space, begun?.space].includes(ctx.caller.space)) throw noRun(ctx, runId);
  const verification = verifyLedger(lines, { ...options, runId, expectSealed: row?.sealedAt != null });
  const counted = (await ctx.store.findRun(runId))?.entryCount ?? 0;
  const beyond = verification.status !== 'broken' && counted < verification.entries;
  const beside = [
    ...(await contentFindings(ctx, begun)),
    ...(await ctx.store.misnumbered(runId)).map((entry) => ({
      ...finding('entry-moved', `The store keeps this entry under another number than its own. ${RESTORE}`),
      entry,
    })),
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

export interface VerifyCommandOptions {
  key?: string[];
  all?: boolean;
}
