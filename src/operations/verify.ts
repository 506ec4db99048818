import { hereCommand, programName } from '../base/command-line.ts';
import { isObject } from '../base/json.ts';
import { checkEnvelope } from '../ledger/attestation.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import { type Verification, verifyEntries, verifyLedger } from '../ledger/verify.ts';
import { followedDigests } from '../run/entry-data.ts';
import { orDamaged } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import { rowFaults } from '../store/run-row.ts';
import type { OperationContext } from './context.ts';
import { noRun, storedRun } from './run/locate.ts';
import {
  attestedFindings,
  type BesideFinding,
  checkPruned,
  type FoundInRecord,
  finding,
  noteFindings,
  optionsOf,
  parseEntry,
  pruneFindings,
  type VerifySettings,
  withApprovals,
} from './verify-beside.ts';

/** The result for one record. `findings` includes those that need the store of the run. */
export interface RecordCheck extends FoundInRecord {
  /** As named in the call. */
  record: string;
  /** The seal was made with the caller's key. */
  own_key: boolean;
}

/** Verifies the lines of an exported ledger. */
export function verifyLines(name: string, lines: readonly string[], settings: VerifySettings): RecordCheck {
  return checkOf(name, withApprovals(verifyLedger(lines, optionsOf(settings)), lines), settings);
}

/** The same, and that they are the ones that the store has, or had before it pruned the run. */
export async function verifyAgainstStore(
  ctx: OperationContext,
  name: string,
  lines: readonly string[],
  settings: VerifySettings,
): Promise<RecordCheck> {
  const found = verifyLedger(lines, optionsOf(settings));
  const row = found.run_id === null ? null : await ctx.store.findRun(found.run_id);
  const beside =
    row === null || row.space !== ctx.caller.space
      ? [finding('not-in-store', 'The store does not have this run.')]
      : row.tombstone === undefined
        ? storeFindings(lines, await ctx.store.readLines(row.runId))
        : pruneFindings(row, row.tombstone, found, lines, settings);
  const checked = withApprovals(found, lines);
  const status = beside.length > 0 ? 'broken' : checked.status;
  return checkOf(name, { ...checked, status, findings: [...checked.findings, ...beside] }, settings);
}

function storeFindings(lines: readonly string[], stored: readonly string[]): BesideFinding[] {
  const at = lines.findIndex((line, index) => line !== stored[index]);
  if (at !== -1) return [{ ...finding('store-differs', 'The store has another line here.'), line: at + 1 }];
  if (lines.length === stored.length) return [];
  return [finding('store-differs', `The store has ${stored.length} lines, the file has ${lines.length}.`)];
}

/** Verifies a DSSE envelope or Sigstore bundle of `kairos attestation`, if the lines of a file are one; else null. */
export function verifyEnvelope(
  name: string,
  lines: readonly string[],
  settings: VerifySettings,
): RecordCheck | null {
  const value = parseEntry(lines.join('\n')) as object | null;
  if (value === null || !('payloadType' in value || 'dsseEnvelope' in value)) return null;
  const checked = checkEnvelope(value);
  const { runId: run_id, head, count: entries } = checked;
  const base = { run_id, head, entries };
  if (!checked.ok) {
    const findings = [finding('envelope-invalid', `The envelope ${checked.reason}.`)];
    return checkOf(name, { ...base, status: 'broken', sealed_by: null, findings }, settings);
  }
  const { fingerprint, approvals } = checked;
  const { trustedKeys, ownKeys } = settings;
  const said = `The envelope was signed by the key ${fingerprint}.`;
  const keyFindings = ownKeys.includes(fingerprint)
    ? []
    : trustedKeys === undefined
      ? [
          {
            ...finding('seal-key-unchecked', `${said} This check cannot determine whose key that is.`),
            severity: 'note' as const,
          },
        ]
      : trustedKeys.includes(fingerprint)
        ? []
        : [finding('seal-key-unknown', `${said} That key is not trusted.`)];
  const findings = [...attestedFindings(run_id ?? '', approvals), ...keyFindings];
  const status = findings.some(({ severity }) => severity === 'error') ? 'broken' : 'whole';
  return checkOf(name, { ...base, status, sealed_by: fingerprint, findings }, settings);
}

/** Verifies a run of the store: its ledger, its content, and that the index agrees with both. Throws RUN_NOT_FOUND. */
export async function verifyRun(
  ctx: OperationContext,
  record: string,
  settings: VerifySettings,
): Promise<RecordCheck> {
  const runId = await runIdOf(ctx, record);
  return checkOf(record, await checkStored(ctx, runId, settings), settings);
}

/** Verifies a run that this process has just sealed. */
export async function verifySealed(
  { store }: OperationContext,
  runId: string,
): Promise<{ entries: number; status: Verification['status'] }> {
  const entries = await store.readEntries(runId);
  const seal = await store.readSeal(runId);
  return {
    entries: entries.length,
    status: verifyEntries(entries, seal, { runId, expectSealed: true }).status,
  };
}

/** A ledger can't show whose key sealed it, but the caller knows their own. */
export function checkOf(record: string, found: FoundInRecord, { ownKeys }: VerifySettings): RecordCheck {
  const isOwn = found.sealed_by !== null && ownKeys.includes(found.sealed_by);
  const findings = isOwn
    ? found.findings.filter(({ code }) => code !== 'seal-key-unchecked')
    : found.findings;
  return { record, ...found, own_key: isOwn, findings };
}

/** A run without an index row can still have entries. */
async function runIdOf(ctx: OperationContext, record: string): Promise<string> {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(record)) return record.toLowerCase();
  return (await storedRun(ctx, record)).runId;
}

async function checkStored(
  ctx: OperationContext,
  runId: string,
  settings: VerifySettings,
): Promise<FoundInRecord> {
  const options = optionsOf(settings);
  // Before the lines: an open run grows, so an entry that others append in between doesn't count as lost.
  const row = await ctx.store.findRun(runId);
  if (row?.tombstone !== undefined && row.space === ctx.caller.space)
    return checkPruned(ctx, row, row.tombstone, settings);
  const lines = await ctx.store.readLines(runId);
  const begun = parseEntry(lines[0] ?? '')?.data;
  if (![row?.space, begun?.space].includes(ctx.caller.space)) throw noRun(ctx, runId);
  const verification = withApprovals(
    verifyLedger(lines, { ...options, runId, expectSealed: row?.sealedAt != null }),
    lines,
  );
  const counted = (await ctx.store.findRun(runId))?.entryCount ?? 0;
  const isLonger = verification.status !== 'broken' && counted < verification.entries;
  const beside = [
    ...(await contentFindings(ctx, lines)),
    ...(await ctx.store.misnumbered(runId)).map((entry) => ({
      ...finding('entry-moved', `The store keeps this entry under another number than its own. ${RESTORE}`),
      entry,
    })),
    ...(row === null
      ? [finding('index-differs', `The store does not list this run any more. ${RESTORE}`)]
      : []),
    ...(row === null ? [] : indexFindings(row, lines, verification, isLonger)),
    ...(row === null ? [] : await noteFindings(ctx, row)),
  ];
  return {
    ...verification,
    status: beside.length > 0 ? 'broken' : verification.status,
    findings: [...verification.findings, ...beside],
  };
}

/** Each content that the run has followed must match the digest that the record has of it. */
async function contentFindings(ctx: OperationContext, lines: readonly string[]): Promise<BesideFinding[]> {
  const entries = lines.map(parseEntry).filter((entry) => isObject(entry?.data)) as LedgerEntry[];
  const chainId = entries[0]?.data.chain_id;
  if (typeof chainId !== 'string') return [];
  const revisions = await Promise.all(
    followedDigests(entries).map((digest) => orDamaged(ctx.store.revisionByDigest(chainId, digest))),
  );
  if (revisions.includes(null))
    return [finding('content-missing', 'The store does not have the content of this run.')];
  if (!revisions.includes('damaged')) return [];
  return [finding('content-edited', 'The content of this run was changed in the store.')];
}

/** An index next to the ledger lists and finds runs. Every entry without a finding must agree with it. */
function indexFindings(
  row: RunRow,
  lines: readonly string[],
  { findings, status, entries }: FoundInRecord,
  isLonger: boolean,
): BesideFinding[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isKnown = (at: number) =>
    errors.some(({ entry, last }) => entry !== null && entry <= at && at <= (last ?? entry));
  const sound = lines
    .map(parseEntry)
    .filter((entry) => entry !== null)
    .map((entry) => [entry.seq, entry] as const)
    .filter(([seq]) => !isKnown(seq));
  const faults = isLonger ? [{ entry: null, fields: ['entries'] }] : rowFaults(row, new Map(sound), isKnown);
  return faults.map(({ entry, fields }) => ({
    ...finding(
      'index-differs',
      entry === null
        ? `Entries of this run: the store has counted ${row.entryCount}, and the ledger has ${entries}. ${RESTORE}`
        : `The store's index of runs differs from this entry in: ${fields.join(', ')}. ${status === 'whole' ? reindex() : RESTORE}`,
    ),
    entry,
  }));
}

/**
 * An intact sealed ledger takes precedence over the index; otherwise it is unknown which of the two was
 * changed.
 */
const reindex = () =>
  `The ledger is correct. To rebuild the index: ${hereCommand(['store', 'export', 'FILE'])}, then ${programName()} store import FILE --store NEW.`;
const RESTORE = 'Restore the store from a backup.';
