import { GENESIS_HASH } from '../base/canonical.ts';
import type { LedgerEntry, Seal } from './entry.ts';
import { byEntry, error, type Finding, note, type SealLine, sortOut, type VerifyOptions } from './finding.ts';
import { entryOf, type LedgerLine, readLine, splitLines, toLines } from './line.ts';
import { align } from './links.ts';
import { checkMeaning } from './meaning.ts';

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
  const hasCarriageReturns = lines.length > 0 && lines.every((text) => text.endsWith('\r'));
  const read = lines.map((text, index) => readLine(hasCarriageReturns ? text.slice(0, -1) : text, index + 1));
  if (
    !read.some(({ kind }) => kind === 'entry' || kind === 'seal') &&
    read.some(({ kind }) => kind !== 'blank')
  )
    return notARecord(lines.length);
  const { run, runId, seal, findings: sorted } = sortOut(read, options);
  const { kept, extra } = align(run, seal?.ok ? seal.seal : null);
  const repeated = extra.map(({ line, entry }) =>
    extraFinding(line, entry, entry === null ? undefined : kept.get(entry)),
  );
  // Lists are joined, not spread into a call: a damaged file may have a finding in each of its lines.
  let findings = [...sorted, ...repeated, ...checkContinuity(kept, read, seal, options)];
  if (hasCarriageReturns) findings.push(error('not-canonical', CARRIAGE_RETURNS));
  // An unknown key does not keep the content from being checked.
  if (!findings.some(({ severity, code }) => severity === 'error' && code !== 'seal-key-unknown')) {
    findings = [...findings, ...checkMeaning([...kept.values()].map(entryOf), seal !== null)];
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

const CARRIAGE_RETURNS =
  'Every line ends with CR LF instead of LF. The file was changed on its way, for example by git or mail. Export it again, or turn CR LF into LF.';

/** Not one line is an entry or a seal: to name each of them would help as little as a page or a picture does. */
function notARecord(count: number): Verification {
  const lines = count === 1 ? 'its line is not' : `none of its ${count} lines is`;
  const message = `This is not the record of a run: ${lines} an entry. A record is the file that runs export writes; a report page checks its own.`;
  return {
    status: 'broken',
    run_id: null,
    entries: 0,
    head: null,
    sealed_by: null,
    findings: [error('unreadable', message)],
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

/**
 * Compares the entries with each other and with the seal, when the entry of each line is known. Each fault is
 * reported once, without its consequences.
 */
function checkContinuity(
  kept: Map<number, LedgerLine>,
  lines: readonly LedgerLine[],
  seal: SealLine | null,
  options: VerifyOptions,
): Finding[] {
  const numbers = [...kept.keys()];
  const moved = movedItems([...kept].sort(([, a], [, b]) => a.line - b.line).map(([number]) => number));
  return [
    ...faults(kept),
    ...gaps(numbers, seal?.ok ? seal.seal.count : null),
    ...rewrites(kept, seal?.ok ? seal.seal : null),
    ...[...moved].map((number) => {
      const line = kept.get(number)?.line ?? null;
      return error('moved', `Entry ${number} is in line ${line}, out of order.`, { entry: number, line });
    }),
    ...sealPlace(kept, moved, lines, seal, options),
    ...clockSteps(kept),
  ];
}

function faults(kept: Map<number, LedgerLine>): Finding[] {
  return [...kept].flatMap(([entry, { fault, line }]) =>
    fault === null ? [] : [error(fault.code, `Entry ${entry} ${fault.detail}.`, { entry, line })],
  );
}

function gaps(numbers: number[], count: number | null): Finding[] {
  const found: Finding[] = [];
  let expected = 0;
  for (const number of numbers) {
    if (number > expected) found.push(gap('missing', expected, number - 1));
    expected = number + 1;
  }
  if (count !== null && count > expected) found.push(gap('truncated', expected, count - 1));
  return found;
}

function gap(code: 'missing' | 'truncated', entry: number, last: number): Finding {
  const what = entry === last ? `Entry ${entry} is` : `Entries ${entry} to ${last} are`;
  const where = code === 'missing' ? 'missing' : 'missing at the end of the sealed run';
  return error(code, `${what} ${where}.`, entry === last ? { entry } : { entry, last });
}

/**
 * Entries that are whole by themselves and yet not the ones that the chain was made of: the next entry, or the seal,
 * names another hash. Judged from the end, since it is the end that the seal vouches for.
 */
function rewrites(kept: Map<number, LedgerLine>, seal: { head: string; count: number } | null): Finding[] {
  const found: Finding[] = [];
  // Already reported, so its neighbours aren't reported for it.
  const told = new Set([...kept].filter(([, { fault }]) => fault !== null).map(([number]) => number));
  const tell = (entry: number, why: string) => {
    told.add(entry);
    const line = kept.get(entry)?.line ?? null;
    found.push(error('rewritten', `Entry ${entry} ${why}`, { entry, line }));
  };
  for (const [number, line] of [...kept].reverse()) {
    if (told.has(number)) continue;
    const next = kept.get(number + 1);
    if (line.seq !== number) {
      tell(number, 'bears another number than the one that its place in the chain gives it.');
    } else if (number + 1 === seal?.count && line.hash !== seal.head) {
      tell(number, 'is not the one that was sealed: it, or one before it, was rewritten and hashed again.');
    } else if (next !== undefined && !told.has(number + 1) && next.prev !== line.hash) {
      tell(
        number,
        `is not the one that entry ${number + 1} was chained to: it, or one before it, was rewritten and hashed again.`,
      );
    } else if (number === 0 && line.prev !== GENESIS_HASH) {
      tell(number, 'does not begin a ledger: its prev is not the hash of genesis.');
    }
  }
  return found;
}

function sealPlace(
  kept: Map<number, LedgerLine>,
  moved: Set<number>,
  lines: readonly LedgerLine[],
  seal: SealLine | null,
  { expectSealed }: VerifyOptions,
): Finding[] {
  if (seal === null) {
    const ended = [...kept.values()].some(({ value }) => value?.kind === 'run.sealed');
    if (!ended && expectSealed !== true) return [];
    return lines.length === 0 ? [] : [error('seal-missing', 'The run was sealed, and its seal is missing.')];
  }
  const after = [...kept].find(([number, { line }]) => !moved.has(number) && line > seal.line.line);
  if (after === undefined) return [];
  return [error('seal-moved', 'The seal does not follow the entries.', { line: seal.line.line })];
}

/** A warning only, because clocks can be set back. */
function clockSteps(kept: Map<number, LedgerLine>): Finding[] {
  const found: Finding[] = [];
  let latest: string | null = null;
  for (const [entry, { value, fault, line }] of kept) {
    if (fault !== null || typeof value?.at !== 'string') continue;
    if (latest !== null && value.at < latest) {
      found.push(note('time-backwards', `Entry ${entry} is dated before an earlier entry.`, { entry, line }));
    }
    if (latest === null || value.at > latest) latest = value.at;
  }
  return found;
}

/**
 * Which items of a row of distinct numbers have to be moved so that the rest ascends: as few as possible, and among
 * as few preferably those that are not where they belong. (Heaviest ascending subsequence, O(n log n).)
 */
export function movedItems(row: readonly number[]): Set<number> {
  const sorted = row.toSorted((a, b) => a - b);
  const rank = new Map(sorted.map((number, index) => [number, index]));
  if (row.every((number, index) => rank.get(number) === index)) return new Set();
  const size = row.length;
  // best[r]: index in `row` of the end of the heaviest ascent whose last number ranks within the node's range.
  const best = new Array<number>(size + 1).fill(-1);
  const weights = new Array<number>(size).fill(0);
  const previous = new Array<number>(size).fill(-1);
  const weightOf = (index: number) => (index < 0 ? 0 : (weights[index] ?? 0));
  row.forEach((number, index) => {
    const position = rank.get(number) ?? 0;
    let heaviest = -1;
    for (let node = position; node > 0; node -= node & -node) {
      const candidate = best[node] ?? -1;
      if (weightOf(candidate) > weightOf(heaviest)) heaviest = candidate;
    }
    previous[index] = heaviest;
    weights[index] = weightOf(heaviest) + size + 1 + (position === index ? 1 : 0);
    for (let node = position + 1; node <= size; node += node & -node) {
      if (weightOf(index) > weightOf(best[node] ?? -1)) best[node] = index;
    }
  });
  const moved = new Set(row);
  let at = weights.reduce((heaviest, weight, index) => (weight > weightOf(heaviest) ? index : heaviest), -1);
  while (at >= 0) {
    moved.delete(row[at] ?? -1);
    at = previous[at] ?? -1;
  }
  return moved;
}
