import { GENESIS_HASH, sha256Hex } from '../base/canonical.ts';
import { isObject } from '../base/json.ts';
import { ENTRY_KINDS, type EntryData, type Json, type LedgerEntry } from './entry.ts';
import { error, type Finding, type FindingCode, note } from './finding.ts';

const ASSURANCES = ['observed', 'attested', 'client', 'claimed'];

/** What has been read so far; a key that an entry does not have is not judged. */
interface Reading {
  findings: Finding[];
  /** Hash of the last accepted proof: what has to be echoed. */
  echo: string;
  /** Steps that can still be proven: the first station not yet passed. */
  at: number;
  /** Station by SHA-256 of its nonce. */
  nonces: Map<string, Json>;
  spent: Set<string>;
  counts: Map<string, number>;
  permits: PermitReading;
  /** Where the run works and under which policy, as recorded last; null where nothing is recorded. */
  context: { place: string | null; policy: string | null; digest: Json };
  /** Steps that were passed. */
  passed: Set<Json>;
}

/**
 * Whether entries with correct hashes and order are also plausible for a run: it begins once and ends once;
 * each proof matches a nonce that was shown for its step and echoes the proof before it; a permit was given
 * and is used once; each move leaves the place, each adoption the policy and each rebase the revision that was recorded before; the counts match the proofs. A ledger made up from the beginning fails these checks.
 */
export function checkMeaning(entries: readonly LedgerEntry[], isSealed: boolean): Finding[] {
  const reading: Reading = {
    findings: [],
    echo: GENESIS_HASH,
    at: 0,
    nonces: new Map(),
    spent: new Set(),
    counts: new Map(),
    permits: noPermits(),
    context: { place: null, policy: null, digest: null },
    passed: new Set(),
  };
  for (const [index, entry] of entries.entries()) {
    checkKind(reading, entry, index === entries.length - 1);
    RULES[entry.kind]?.(reading, entry);
    checkPermits(reading.permits, entry, (code, what) => tell(reading, entry, code, what));
  }
  const last = entries.at(-1);
  if (isSealed && last !== undefined && last.kind !== 'run.sealed') {
    tell(reading, last, 'end-misplaced', 'is the last one under the seal and does not end a run');
  }
  return reading.findings;
}

const RULES: { [kind: string]: (reading: Reading, entry: LedgerEntry) => void } = {
  'run.begun': (reading, entry) => {
    const { data } = entry;
    reading.context = { place: placeText(data), policy: policyText(data), digest: data.digest ?? null };
    checkContent(reading, entry);
  },
  'run.moved': moved,
  'policy.adopted': adopted,
  'run.rebased': rebased,
  'step.shown': shown,
  'proof.accepted': accepted,
  'proof.rejected': rejected,
  'step.skipped': (reading, entry) => passed(reading, entry),
  'run.sealed': sealed,
};

/** Unknown kinds fail closed: an unknown entry can't be confirmed. */
function checkKind(reading: Reading, entry: LedgerEntry, isLast: boolean): void {
  if (!(ENTRY_KINDS as readonly string[]).includes(entry.kind)) {
    tell(reading, entry, 'kind-unknown', 'is of a kind that this version does not know');
  }
  if ((entry.kind === 'run.begun') !== (entry.seq === 0)) {
    tell(reading, entry, 'begin-misplaced', 'is where a run cannot begin, or begins it with something else');
  }
  if (entry.kind === 'run.sealed' && !isLast) {
    tell(reading, entry, 'end-misplaced', 'ends the run, and others follow');
  }
}

function moved(reading: Reading, entry: LedgerEntry): void {
  remark(reading, entry, 'run-moved', 'states that the run was moved to another directory or machine');
  const { from } = entry.data;
  const left = isObject(from) ? placeText(from as EntryData) : null;
  if (left !== reading.context.place)
    tell(reading, entry, 'context-differs', 'leaves another place than the one that was recorded before it');
  reading.context.place = placeText(entry.data);
}

function adopted(reading: Reading, entry: LedgerEntry): void {
  remark(reading, entry, 'policy-adopted', 'states that another policy was adopted for the run');
  const { from } = entry.data;
  const left = isObject(from) ? policyText(from as EntryData) : null;
  if (left !== reading.context.policy)
    tell(
      reading,
      entry,
      'context-differs',
      'replaces another policy than the one that was recorded before it',
    );
  reading.context.policy = policyText(entry.data);
}

function rebased(reading: Reading, entry: LedgerEntry): void {
  remark(reading, entry, 'run-rebased', 'states that the run was carried over to another revision');
  const { from, digest = null, carried } = entry.data;
  if (!isObject(from) || from.digest !== reading.context.digest)
    tell(
      reading,
      entry,
      'context-differs',
      'leaves another revision than the one that was recorded before it',
    );
  const steps = new Set(Array.isArray(carried) ? carried : []);
  if ([...reading.passed].some((step) => !steps.has(step)))
    tell(reading, entry, 'context-differs', 'does not carry over every step that was passed before it');
  checkContent(reading, entry);
  reading.context.digest = digest;
  // What was asked before is not asked any more.
  for (const nonce of reading.nonces.keys()) if (!reading.spent.has(nonce)) reading.nonces.delete(nonce);
}

/** The text of the revision is the one that its digest is of. Older records don't have it. */
function checkContent(reading: Reading, entry: LedgerEntry): void {
  const { content_json: text, digest } = entry.data;
  if (text !== undefined && (typeof text !== 'string' || sha256Hex(text) !== digest))
    tell(reading, entry, 'content-differs', 'contains another text of the protocol than its digest names');
}

/** Null where no place is recorded. */
function placeText({ host, workdir, roots, names }: EntryData): string | null {
  return typeof host === 'string' ? JSON.stringify([host, workdir ?? null, roots ?? [], names ?? []]) : null;
}

/** Null where the record names neither a policy nor its absence. */
function policyText({ policy_digest: digest, policy_origin: origin }: EntryData): string | null {
  return digest === undefined ? null : JSON.stringify([digest, origin ?? null]);
}

function shown(reading: Reading, entry: LedgerEntry): void {
  const { station, nonce_sha256: nonce, proof_hash: echo } = entry.data;
  if (typeof echo === 'string' && echo !== reading.echo) {
    tell(reading, entry, 'proof-chain', 'asks for another hash to echo than that of the last accepted proof');
  }
  if (typeof station === 'number') {
    if (station < reading.at) tell(reading, entry, 'step-order', 'shows a step that is passed already');
    reading.at = Math.max(reading.at, station);
  }
  if (typeof nonce === 'string') {
    if (reading.nonces.has(nonce)) tell(reading, entry, 'nonce-reused', 'shows a nonce a second time');
    reading.nonces.set(nonce, station ?? null);
  }
}

function accepted(reading: Reading, entry: LedgerEntry): void {
  const { echoed, assurance } = entry.data;
  if (typeof echoed === 'string' && echoed !== reading.echo) {
    tell(reading, entry, 'proof-chain', 'echoes another hash than that of the last accepted proof');
  }
  reading.echo = entry.hash;
  spend(reading, entry);
  passed(reading, entry);
  if (typeof assurance === 'string' && ASSURANCES.includes(assurance)) {
    reading.counts.set(assurance, (reading.counts.get(assurance) ?? 0) + 1);
  } else {
    tell(reading, entry, 'assurance-unknown', 'contains a proof of unknown assurance');
  }
}

function rejected(reading: Reading, entry: LedgerEntry): void {
  spend(reading, entry);
  if (entry.data.waived === true) passed(reading, entry);
}

/** A nonce is shown first, for the same step, and then used once. */
function spend(reading: Reading, entry: LedgerEntry): void {
  const { nonce_sha256: nonce, station } = entry.data;
  if (typeof nonce !== 'string') return;
  if (!reading.nonces.has(nonce) || reading.nonces.get(nonce) !== (station ?? null)) {
    tell(reading, entry, 'nonce-unknown', 'responds to a nonce that was not shown for its step');
  }
  if (reading.spent.has(nonce))
    tell(reading, entry, 'nonce-reused', 'responds to a nonce that was used before');
  reading.spent.add(nonce);
}

function passed(reading: Reading, entry: LedgerEntry): void {
  const { station, step = null, closing } = entry.data;
  if (closing !== true) reading.passed.add(step);
  if (typeof station !== 'number') return;
  if (station !== reading.at) tell(reading, entry, 'step-order', 'passes a step that is not the pending one');
  reading.at = Math.max(reading.at, station + 1);
}

function sealed(reading: Reading, entry: LedgerEntry): void {
  const { assurance, self_reported: selfReported } = entry.data;
  if (!isObject(assurance)) return;
  const counted = (name: string) => reading.counts.get(name) ?? 0;
  if (ASSURANCES.some((name) => (assurance[name] ?? 0) !== counted(name))) {
    tell(reading, entry, 'assurance-counts', 'counts other proofs than there are');
  } else if (typeof selfReported === 'boolean') {
    const claims = ASSURANCES.every((name) => (name === 'claimed') === counted(name) > 0);
    if (selfReported !== claims) {
      tell(
        reading,
        entry,
        'assurance-counts',
        'calls the run self-reported when it is not, or the other way round',
      );
    }
  }
}

/** Facts that break nothing, but that every reader of a run should know. */
function remark(reading: Reading, { seq }: LedgerEntry, code: FindingCode, what: string): void {
  reading.findings.push(note(code, `Entry ${seq} ${what}.`, { entry: seq, line: seq + 1 }));
}

function tell(reading: Reading, { seq }: LedgerEntry, code: FindingCode, what: string): void {
  reading.findings.push(error(code, `Entry ${seq} ${what}.`, { entry: seq, line: seq + 1 }));
}

/** What has been read of permits so far. */
interface PermitReading {
  /** Step by permit that a decision has given. */
  given: Map<string, Json>;
  /** Step by used permit, and whether it was for a rollback. */
  used: Map<string, { step: Json; rollback: boolean }>;
  /** Permits of rollbacks that have ended. */
  ended: Set<string>;
}

export function noPermits(): PermitReading {
  return { given: new Map(), used: new Map(), ended: new Set() };
}

/** Whether a permit is used that was given, for its step and once, and only what was begun under one has ended. */
export function checkPermits(
  reading: PermitReading,
  { kind, data }: LedgerEntry,
  tell: (code: FindingCode, what: string) => void,
): void {
  const { step = null, permit_id: id } = data;
  switch (kind) {
    case 'proposal.decided':
      if (data.decision === 'ALLOW' && isObject(data.permit) && typeof data.permit.permit_id === 'string')
        reading.given.set(data.permit.permit_id, step);
      return;
    case 'run.moved':
    case 'policy.adopted':
    case 'run.rebased':
      // What was given before is void.
      reading.given.clear();
      return;
    case 'permit.consumed':
      if (typeof id !== 'string') return;
      if (reading.used.has(id)) tell('permit-reused', 'uses a permit a second time');
      if (!reading.given.has(id) || reading.given.get(id) !== step)
        tell('permit-unknown', 'uses a permit that no decision has given for its step');
      reading.used.set(id, { step, rollback: data.rollback === true });
      return;
    case 'step.shown':
      if (typeof id === 'string' && reading.used.get(id)?.step !== step)
        tell('permit-unknown', 'shows what needs a permit, and none was used for its step');
      return;
    case 'rollback.done': {
      if (typeof id !== 'string') return;
      const used = reading.used.get(id);
      if (reading.ended.has(id)) tell('permit-reused', 'ends a rollback a second time');
      if (used?.rollback !== true || used.step !== step)
        tell('permit-unknown', 'ends a rollback that was not begun for its step');
      reading.ended.add(id);
    }
  }
}
