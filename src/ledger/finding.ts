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
export function inOrder(findings: Finding[]): Finding[] {
  const key = ({ entry, line }: Finding) => [entry ?? Infinity, line ?? Infinity] as const;
  return findings.toSorted((a, b) => compare(key(a)[0], key(b)[0]) || compare(key(a)[1], key(b)[1]));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
