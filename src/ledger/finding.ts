import { isIntact, type LedgerLine } from './line.ts';
import { checkSeal, type SealCheck } from './seal.ts';

/** The findings of verification. Codes are for programs, messages for people; neither quotes the ledger. */
export type FindingCode =
  // lines and entries
  | 'empty'
  | 'blank-line'
  | 'unreadable'
  | 'malformed'
  | 'edited'
  | 'not-canonical'
  | 'rewritten'
  | 'missing'
  | 'truncated'
  | 'duplicate'
  | 'inserted'
  | 'moved'
  | 'other-run'
  | 'wrong-run'
  // the seal
  | 'seal-missing'
  | 'seal-invalid'
  | 'seal-moved'
  | 'seal-extra'
  | 'seal-other-run'
  | 'seal-key-unknown'
  | 'seal-key-unchecked'
  // the meaning
  | 'kind-unknown'
  | 'begin-misplaced'
  | 'end-misplaced'
  | 'time-backwards'
  | 'step-order'
  | 'nonce-unknown'
  | 'nonce-reused'
  | 'proof-chain'
  | 'assurance-unknown'
  | 'assurance-counts'
  | 'run-moved'
  | 'policy-adopted'
  | 'run-rebased'
  | 'context-differs'
  | 'content-differs'
  | 'permit-unknown'
  | 'permit-reused';

export interface Finding {
  code: FindingCode;
  /** A note breaks nothing. */
  severity: 'error' | 'note';
  /** Number of the entry (from 0) that this is about; null when it is about none. */
  entry: number | null;
  /** Last entry of a range that begins at `entry`. */
  last?: number;
  /** 1-based line of the file; null for something missing. */
  line: number | null;
  message: string;
}

/** An error about an entry or a line. */
export function error(
  code: FindingCode,
  message: string,
  place: { entry?: number | null; last?: number; line?: number | null } = {},
): Finding {
  const { entry = null, last, line = null } = place;
  return { code, severity: 'error', entry, ...(last === undefined ? {} : { last }), line, message };
}

/** The same as a note. */
export function note(...args: Parameters<typeof error>): Finding {
  return { ...error(...args), severity: 'note' };
}

/** By entry number, then by line; what is about no entry comes last. */
export function byEntry(findings: Finding[]): Finding[] {
  const key = ({ entry, line }: Finding) => [entry ?? Infinity, line ?? Infinity] as const;
  return findings.toSorted((a, b) => compare(key(a)[0], key(b)[0]) || compare(key(a)[1], key(b)[1]));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

export interface VerifyOptions {
  /** The run is known to be sealed: a ledger without a seal is then broken, not only unsealed. */
  expectSealed?: boolean;
  /** The run that this has to be. */
  runId?: string;
  /**
   * Fingerprints (`keyFingerprint`) of the keys that may seal. Without them any key is valid, and a note
   * reports it.
   */
  trustedKeys?: readonly string[];
}

/** A seal with its line. */
export type SealLine = SealCheck & { line: LedgerLine };

interface SortedOut {
  /** Lines that are, or may be, entries of the run. */
  run: LedgerLine[];
  runId: string | null;
  /** The seal that counts; null without one. */
  seal: SealLine | null;
  findings: Finding[];
}

/** Sorts the lines of a file: entries of one run, its seal, and others. */
export function sortOut(lines: readonly LedgerLine[], options: VerifyOptions): SortedOut {
  const findings: Finding[] = [];
  if (lines.length === 0) findings.push(error('empty', 'There is nothing in this ledger.'));
  for (const { line } of lines.filter(({ kind }) => kind === 'blank')) {
    findings.push(error('blank-line', `Line ${line} is blank.`, { line }));
  }
  const entries = lines.filter(({ kind }) => kind === 'entry');
  const seals = lines
    .filter(({ kind }) => kind === 'seal')
    .map((line): SealLine => ({ ...checkSeal(line.value), line }));
  const owner = commonRun(entries);
  let seal = pickSeal(seals, owner, options.trustedKeys);
  for (const { line } of seals.filter((other) => other !== seal)) {
    findings.push(error('seal-extra', `Line ${line.line} is a second seal.`, { line: line.line }));
  }
  const runId = owner ?? (seal?.ok ? seal.seal.run_id : null);
  if (seal !== null) {
    const wrong = sealFinding(seal, runId, options.trustedKeys);
    if (wrong !== null) findings.push(wrong);
    // The seal of another run doesn't prove this run's head and count.
    if (wrong?.code === 'seal-other-run')
      seal = { ok: false, reason: 'belongs to another run', line: seal.line };
  }
  if (options.runId !== undefined && runId !== null && options.runId !== runId) {
    findings.push(error('wrong-run', 'This is the ledger of another run than the one that was asked for.'));
  }
  const foreign = new Set(entries.filter((line) => isIntact(line) && line.runId !== runId));
  for (const { line } of foreign) {
    findings.push(error('other-run', `Line ${line} is an entry of another run.`, { line }));
  }
  const run = lines.filter(({ kind }) => kind === 'entry' || kind === 'unreadable');
  return { run: run.filter((line) => !foreign.has(line)), runId, seal, findings };
}

/** A valid seal counts before an invalid one, one of this run before another's, one of a trusted key before the rest. */
function pickSeal(
  seals: SealLine[],
  runId: string | null,
  trusted: readonly string[] | undefined,
): SealLine | null {
  const worth = (seal: SealLine) => {
    if (!seal.ok) return 0;
    return 1 + (seal.seal.run_id === runId ? 2 : 0) + (trusted?.includes(seal.fingerprint) === true ? 1 : 0);
  };
  return seals.toSorted((a, b) => worth(b) - worth(a))[0] ?? null;
}

function sealFinding(
  seal: SealLine,
  runId: string | null,
  trusted: readonly string[] | undefined,
): Finding | null {
  const place = { line: seal.line.line };
  if (!seal.ok) return error('seal-invalid', `The seal ${seal.reason}.`, place);
  if (seal.line.fault !== null) return error('seal-invalid', `The seal ${seal.line.fault.detail}.`, place);
  if (seal.seal.run_id !== runId) return error('seal-other-run', 'The seal belongs to another run.', place);
  if (trusted === undefined) {
    return note(
      'seal-key-unchecked',
      `The seal was made by the key ${seal.fingerprint}. This check cannot determine whose key that is.`,
      place,
    );
  }
  if (trusted.includes(seal.fingerprint)) return null;
  return error(
    'seal-key-unknown',
    `The seal was made by the key ${seal.fingerprint}, which is not one of the trusted keys.`,
    place,
  );
}

/** The run that most whole entries belong to; without any, most entries. */
function commonRun(entries: LedgerLine[]): string | null {
  const whole = entries.filter(isIntact);
  const votes = new Map<string, number>();
  for (const { runId } of whole.length > 0 ? whole : entries) {
    if (runId !== null) votes.set(runId, (votes.get(runId) ?? 0) + 1);
  }
  const [best] = [...votes].sort(([, a], [, b]) => b - a);
  return best?.[0] ?? null;
}
