import { canonical } from '../base/canonical.ts';
import { jsonOf } from '../base/json.ts';
import { isSignedAsRecorded, readStatement } from '../gate/approval/statement.ts';
import { proposalHash } from '../gate/proposal.ts';
import { checkNote, checkTombstone } from '../ledger/beside.ts';
import type { EntryData, LedgerEntry } from '../ledger/entry.ts';
import type { VerifyOptions } from '../ledger/finding.ts';
import { checkSeal } from '../ledger/seal.ts';
import { type Verification, verifyLedger } from '../ledger/verify.ts';
import type { RunRow } from '../store/port.ts';
import { prunedFacts } from '../store/run-row.ts';
import type { OperationContext } from './context.ts';

export interface FoundInRecord extends Omit<Verification, 'findings' | 'status'> {
  /** `pruned`: the record was removed from the store, and its tombstone is valid. Its archive may be missing. */
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
  /** Reads the archive of a pruned run, from where it was written or is now; null: it is missing. Absent: archives are not read. */
  readArchive?: (path: string) => Promise<{ path: string; lines: readonly string[] | null }>;
}

/** A pruned run has only its tombstone, and its archive if that can be read. */
export async function checkPruned(
  ctx: OperationContext,
  row: RunRow,
  tombstone: string,
  settings: VerifySettings,
): Promise<FoundInRecord> {
  const checked = checkTombstone(tombstone, row.runId);
  const written = checked.ok ? checked.value.archive : null;
  const archive = written === null ? undefined : await settings.readArchive?.(written);
  const lines = archive?.lines ?? null;
  const found = lines === null ? null : verifyLedger(lines, { ...optionsOf(settings), runId: row.runId });
  const findings: BesideFinding[] = [
    ...(found?.findings ?? []),
    ...pruneFindings(row, tombstone, found, lines, settings),
    ...(await noteFindings(ctx, row)),
  ];
  const missing =
    archive?.lines === null
      ? [finding('archive-missing', `The archive of this run is not at ${archive.path}. ${ELSEWHERE}`)]
      : [];
  const seal = checked.ok ? checkSeal({ seal: checked.value.seal }) : null;
  return {
    status: findings.some(({ severity }) => severity === 'error') ? 'broken' : 'pruned',
    run_id: row.runId,
    entries: row.entryCount,
    head: row.head,
    sealed_by: seal?.ok === true ? seal.fingerprint : null,
    findings: [...findings, ...missing],
  };
}

const ELSEWHERE = 'Name its folder with --archive, or check no archives with --no-archive.';

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

/**
 * Approvals were signed outside of the ledger, so correct hashes are not enough: what people signed must be what the record
 * states of the run, its proposals and its policy, and a decision may count only approvals on record.
 */
export function withApprovals(
  found: Verification,
  lines: readonly string[],
): FoundInRecord & Pick<Verification, 'status'> {
  const seen: ApprovalContext = {
    digest: undefined,
    policy: undefined,
    proposals: new Map(),
    given: new Map(),
  };
  const wrong = lines.flatMap((line, at) => {
    const entry = parseEntry(line);
    const fault = entry === null ? null : FAULTS[entry.kind]?.(entry, seen);
    if (entry === null || fault == null) return [];
    return [{ ...finding(fault[0], fault[1](entry.seq)), entry: entry.seq, line: at + 1 }];
  });
  return wrong.length === 0 ? found : { ...found, status: 'broken', findings: [...found.findings, ...wrong] };
}

/** What the record has stated so far of what approvals are about. Undefined: an older record that doesn't state it. */
interface ApprovalContext {
  digest: unknown;
  policy: unknown;
  /** By hash: whether the proposal on record has it. */
  proposals: Map<string, boolean>;
  /** By hash of the proposal: who has approved it. */
  given: Map<string, Set<string>>;
}
type Fault = readonly [code: string, text: (seq: number) => string];

const FAULTS: Partial<
  Record<LedgerEntry['kind'], (entry: LedgerEntry, seen: ApprovalContext) => Fault | null>
> = {
  'run.begun': ({ data }, seen) => {
    seen.digest = data.digest;
    seen.policy = data.policy_digest;
    return null;
  },
  'policy.adopted': ({ data }, seen) => {
    seen.policy = data.policy_digest;
    return null;
  },
  'run.rebased': ({ data }, seen) => {
    seen.digest = data.digest;
    // Approvals of before are void.
    seen.given.clear();
    return null;
  },
  'proposal.decided': ({ data }, seen) => {
    const { proposal_hash: hash, proposal_json: text, decision, approvals_given: given } = data;
    if (typeof hash !== 'string' || typeof text !== 'string') return null;
    const permits = decision === 'ALLOW' || decision === 'HOLD';
    const isSame = hashOf(text) === hash;
    seen.proposals.set(hash, (seen.proposals.get(hash) ?? true) && isSame);
    // A denied proposal can be redacted.
    if (permits && !isSame)
      return [
        'proposal-differs',
        (seq) => `The proposal in entry ${seq} is not the one that its hash names.`,
      ];
    const missing = typeof given === 'number' && given > (seen.given.get(hash)?.size ?? 0);
    return missing
      ? ['approval-missing', (seq) => `The decision in entry ${seq} counts approvals that are not on record.`]
      : null;
  },
  'approval.given': (entry, seen) => {
    const reason = approvalFault(entry, seen);
    const { proposal_hash: hash, decision, approver } = entry.data;
    if (decision === 'approve')
      seen.given.set(String(hash), (seen.given.get(String(hash)) ?? new Set()).add(String(approver)));
    return reason === null ? null : ['approval-invalid', (seq) => `The approval in entry ${seq} ${reason}.`];
  },
};

function hashOf(text: string): string | null {
  try {
    return proposalHash(JSON.parse(text));
  } catch {
    return null;
  }
}

/** To follow "the approval"; null when it is signed as it states, about this run and a proposal on record. */
function approvalFault(
  { run_id: runId, data }: Pick<LedgerEntry, 'run_id' | 'data'>,
  seen: ApprovalContext,
): string | null {
  if (typeof data.statement !== 'string') return 'has no statement';
  const statement = readStatement(data.statement);
  if (statement === null) return 'has a statement that is not of its form';
  const isSame =
    statement.run_id === runId &&
    statement.step === data.step &&
    statement.proposal_hash === data.proposal_hash &&
    statement.decision === data.decision &&
    statement.approver === data.approver &&
    statement.expires_at_ms === data.expires_at_ms;
  if (!isSame) return 'differs from its statement';
  if (!seen.proposals.has(statement.proposal_hash)) return 'is about a proposal that is not on record';
  if (seen.digest !== undefined && statement.chain_digest !== seen.digest)
    return 'is about another revision of the protocol';
  // A denial is accepted under any policy.
  if (
    statement.decision === 'approve' &&
    seen.policy !== undefined &&
    statement.policy_digest !== seen.policy
  )
    return 'was given under another policy';
  if (data.source === 'terminal') return data.signature === null ? null : 'has a signature of a terminal';
  const isSigned =
    typeof data.signature === 'string' &&
    typeof data.key === 'string' &&
    isSignedAsRecorded(data.statement, data.signature, data.key);
  return isSigned ? null : 'is not signed by the key that it names';
}

/** What is wrong with the approvals of an attestation. Each is checked alone: the record has what it is about. */
export function attestedFindings(run_id: string, approvals: readonly EntryData[]): BesideFinding[] {
  return approvals.flatMap((data, at) => {
    const proposals = new Map([[String(data.proposal_hash), true]]);
    const seen = { digest: undefined, policy: undefined, proposals, given: new Map() };
    const reason = approvalFault({ run_id, data }, seen);
    return reason === null
      ? []
      : [finding('approval-invalid', `Approval ${at + 1} of the attestation ${reason}.`)];
  });
}

export function optionsOf({ trustedKeys }: VerifySettings): VerifyOptions {
  return trustedKeys === undefined ? {} : { trustedKeys };
}

/** Null for a line that isn't a JSON object, which has its own finding. */
export function parseEntry(line: string): LedgerEntry | null {
  const value = jsonOf(line);
  return typeof value === 'object' && value !== null ? (value as LedgerEntry) : null;
}

export function finding(code: string, message: string): BesideFinding {
  return { code, severity: 'error', entry: null, line: null, message };
}
