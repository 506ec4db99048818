import { checkContinuity } from './continuity.ts';
import type { LedgerEntry, Seal } from './entry.ts';
import { splitLines, toLines } from './export.ts';
import { byEntry, error, type Finding, sortOut, type VerifyOptions } from './finding.ts';
import { entryOf, type LedgerLine, readLine } from './line.ts';
import { align } from './links.ts';
import { checkMeaning } from './meaning.ts';

export type { VerifyOptions } from './finding.ts';

export interface Verification {
  /** `whole`: sealed, and nothing found but notes. `unsealed`: the same without a seal. */
  status: 'whole' | 'unsealed' | 'broken';
  run_id: string | null;
  /** How many entries of the run are there. */
  entries: number;
  /** Hash of the last entry, as recorded. */
  head: string | null;
  /** Fingerprint of the key of a valid seal. */
  sealed_by: string | null;
  /** Everything that was found, by entry number. */
  findings: Finding[];
}

/**
 * Recomputes a ledger offline, from its exported lines and nothing else, and reports every edit, deletion, insertion,
 * duplication, reordering and truncation, each once, with the number of the entry. Never throws.
 */
export function verifyLedger(lines: readonly string[], options: VerifyOptions = {}): Verification {
  const read = lines.map((text, index) => readLine(text, index + 1));
  const { run, runId, seal, findings } = sortOut(read, options);
  const { kept, extra } = align(run, seal?.ok ? seal.seal : null);
  findings.push(
    ...extra.map(({ line, entry }) =>
      extraFinding(line, entry, entry === null ? undefined : kept.get(entry)),
    ),
  );
  findings.push(...checkContinuity(kept, read, seal, options));
  if (!findings.some(({ severity }) => severity === 'error')) {
    findings.push(...checkMeaning([...kept.values()].map(entryOf), seal !== null));
  }
  return {
    status: statusOf(findings, seal !== null),
    run_id: runId,
    entries: kept.size,
    head: [...kept.values()].at(-1)?.hash ?? null,
    sealed_by: seal?.ok ? seal.fingerprint : null,
    findings: byEntry(findings),
  };
}

/** The same for the text of an exported file. */
export function verifyJsonl(text: string, options: VerifyOptions = {}): Verification {
  return verifyLedger(splitLines(text), options);
}

/** The same for the ledger of a store. */
export function verifyEntries(
  entries: readonly LedgerEntry[],
  seal: Seal | null,
  options: VerifyOptions = {},
): Verification {
  return verifyLedger(toLines(entries, seal), options);
}

function extraFinding(line: LedgerLine, entry: number | null, kept: LedgerLine | undefined): Finding {
  const place = { entry, line: line.line };
  if (line.kind === 'unreadable')
    return error('unreadable', `Line ${line.line} ${line.fault?.detail}.`, place);
  if (kept === undefined) {
    return error('inserted', `Line ${line.line} is not an entry of the run that was sealed.`, place);
  }
  return line.text === kept.text
    ? error('duplicate', `Line ${line.line} repeats entry ${entry}, which is in line ${kept.line}.`, place)
    : error('inserted', `Line ${line.line} was inserted: entry ${entry} is in line ${kept.line}.`, place);
}

function statusOf(findings: Finding[], sealed: boolean): Verification['status'] {
  if (findings.some(({ severity }) => severity === 'error')) return 'broken';
  return sealed ? 'whole' : 'unsealed';
}
