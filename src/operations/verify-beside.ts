import { canonical } from '../base/canonical.ts';
import { isSignedAsRecorded, readStatement } from '../gate/approval/statement.ts';
import { checkNote, checkTombstone } from '../ledger/beside.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import type { VerifyOptions } from '../ledger/finding.ts';
import { checkSeal } from '../ledger/seal.ts';
import { type Verification, verifyLedger } from '../ledger/verify.ts';
import type { RunRow } from '../store/port.ts';
import { prunedFacts } from '../store/run-row.ts';
import type { OperationContext } from './context.ts';

export interface FoundInRecord extends Omit<Verification, 'findings' | 'status'> {
  /** `pruned`: the record was removed from the store, and its tombstone is valid. */
  status: Verification['status'] | 'pruned';
  findings: (Omit<Verification['findings'][number], 'code'> & { code: string })[];
}

export type BesideFinding = FoundInRecord['findings'][number];

/** What checking any number of records needs. */
export interface VerifySettings {
  /** Fingerprints of keys; without any, every key counts. */
  trustedKeys: readonly string[] | undefined;
  /** Fingerprints of the caller's own sealing key and of those before it. */
  ownKeys: readonly string[];
  /** Reads the archive of a pruned run; null: it is missing. Absent: archives are not read. */
  readArchive?: (path: string) => Promise<readonly string[] | null>;
}

/** A pruned run has only its tombstone, and its archive if that can be read. */
export async function checkPruned(
  ctx: OperationContext,
  row: RunRow,
  tombstone: string,
  settings: VerifySettings,
): Promise<FoundInRecord> {
  const checked = checkTombstone(tombstone, row.runId);
  const path = checked.ok ? checked.value.archive : null;
  const lines = path === null ? null : ((await settings.readArchive?.(path)) ?? null);
  const found = lines === null ? null : verifyLedger(lines, { ...optionsOf(settings), runId: row.runId });
  const isMissing = path !== null && lines === null && settings.readArchive !== undefined;
  const findings: BesideFinding[] = [
    ...(found?.findings ?? []),
    ...pruneFindings(row, tombstone, found, lines, settings),
    ...(await noteFindings(ctx, row)),
    ...(isMissing
      ? [
          {
            ...finding('archive-missing', `The archive of this run is not at ${path}.`),
            severity: 'note' as const,
          },
        ]
      : []),
  ];
  const seal = checked.ok ? checkSeal({ seal: checked.value.seal }) : null;
  return {
    status: findings.some(({ severity }) => severity === 'error') ? 'broken' : 'pruned',
    run_id: row.runId,
    entries: row.entryCount,
    head: row.head,
    sealed_by: seal?.ok === true ? seal.fingerprint : null,
    findings,
  };
}

/** What is wrong with a tombstone: its signature, its key, the row that is listed, and the archive if there is one. */
export function pruneFindings(
  row: RunRow,
  text: string,
  archive: Verification | null,
  lines: readonly string[] | null,
  { trustedKeys, ownKeys }: VerifySettings,
): BesideFinding[] {
  const checked = checkTombstone(text, row.runId);
  if (!checked.ok)
    return [finding('tombstone-invalid', `The tombstone of this pruned run ${checked.reason}.`)];
  const { value, fingerprint } = checked;
  const facts = prunedFacts(value);
  const fields = (Object.keys(facts) as (keyof typeof facts)[]).filter((name) => row[name] !== facts[name]);
  const isSame =
    archive === null || (archive.status === 'whole' && lines?.at(-1) === canonical({ seal: value.seal }));
  const isTrusted = [...(trustedKeys ?? []), ...ownKeys].includes(fingerprint);
  return [
    // Who can write to the store could put any run away with a key made for it.
    ...(isTrusted
      ? []
      : [
          finding(
            'tombstone-key-unknown',
            `This run was pruned with the key ${fingerprint}, which is not yours. If you know it, name it with --key.`,
          ),
        ]),
    ...(fields.length === 0
      ? []
      : [
          finding(
            'index-differs',
            `The store's index of runs differs from the tombstone in: ${fields.join(', ')}.`,
          ),
        ]),
    ...(isSame ? [] : [finding('archive-differs', 'The archive is not the record that was pruned.')]),
  ];
}

/** Notes next to a run are signed, and name the record that they are about. */
export async function noteFindings(ctx: OperationContext, row: RunRow): Promise<BesideFinding[]> {
  const notes = await ctx.store.readNotes(row.runId);
  return notes.flatMap((text, at) => {
    const checked = checkNote(text, row.runId);
    if (!checked.ok) return [finding('note-invalid', `Note ${at + 1} next to this run ${checked.reason}.`)];
    const { head, count } = checked.value;
    return head === row.head && count === row.entryCount
      ? []
      : [finding('note-invalid', `Note ${at + 1} next to this run names another record.`)];
  });
}

/** Approvals were signed outside of the ledger, so correct hashes are not enough. */
export function withApprovals(
  found: Verification,
  lines: readonly string[],
): FoundInRecord & Pick<Verification, 'status'> {
  const wrong = lines.flatMap((line, at) => {
    const entry = parseEntry(line);
    const reason = entry?.kind === 'approval.given' ? approvalFault(entry) : null;
    if (entry === null || reason === null) return [];
    const said = finding('approval-invalid', `The approval in entry ${entry.seq} ${reason}.`);
    return [{ ...said, entry: entry.seq, line: at + 1 }];
  });
  return wrong.length === 0 ? found : { ...found, status: 'broken', findings: [...found.findings, ...wrong] };
}

/** To follow "the approval"; null when it is signed as it states, about this run and this proposal. */
function approvalFault({ run_id: runId, data }: LedgerEntry): string | null {
  if (typeof data.statement !== 'string') return 'has no statement';
  const statement = readStatement(data.statement);
  if (statement === null) return 'has a statement that is not of its form';
  const isSame =
    statement.run_id === runId &&
    statement.step === data.step &&
    statement.proposal_hash === data.proposal_hash &&
    statement.decision === data.decision &&
    statement.approver === data.approver;
  if (!isSame) return 'differs from its statement';
  if (data.source !== 'ssh') return null;
  const isSigned =
    typeof data.signature === 'string' &&
    typeof data.key === 'string' &&
    isSignedAsRecorded(data.statement, data.signature, data.key);
  return isSigned ? null : 'is not signed by the key that it names';
}

export function optionsOf({ trustedKeys }: VerifySettings): VerifyOptions {
  return trustedKeys === undefined ? {} : { trustedKeys };
}

/** Null for a line that isn't a JSON object, which has its own finding. */
export function parseEntry(line: string): LedgerEntry | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as LedgerEntry) : null;
  } catch {
    return null;
  }
}

export function finding(code: string, message: string): BesideFinding {
  return { code, severity: 'error', entry: null, line: null, message };
}
