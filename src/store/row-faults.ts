import type { LedgerEntry } from '../ledger/entry.ts';
import type { RunRow } from './port.ts';
import { type RunFacts, runFacts, sealFacts } from './run-row.ts';

/** What an index row states differently from the ledger. */
export interface RowFault {
  /** Number of the entry that the row contradicts; null for a missing one. */
  entry: number | null;
  /** Names as in lists of runs. */
  fields: string[];
}

/**
 * Compares the index row of a run, read before these entries, with them. An open run may have grown since, so
 * only the counted entries are checked. A missing entry doesn't count: `isKnown` returns which of these have
 * their own finding.
 */
export function rowFaults(
  row: RunRow,
  entries: ReadonlyMap<number, LedgerEntry>,
  isKnown: (entry: number) => boolean,
): RowFault[] {
  const first = entries.get(0);
  const newest = row.entryCount - 1;
  const last = entries.get(newest);
  return [
    ...(first === undefined ? [] : fault(0, differing(row, factsOrNothing(first)))),
    ...(last === undefined
      ? fault(null, isKnown(newest) ? [] : ['entries'])
      : fault(newest, differing(row, { head: last.hash, ...sealFacts([last]) }))),
  ];
}

const NAMES = {
  space: 'space',
  chainId: 'chain_id',
  digest: 'digest',
  slug: 'slug',
  title: 'title',
  actor: 'actor',
  session: 'session',
  begunAt: 'begun_at',
  sealedAt: 'sealed_at',
  outcome: 'outcome',
  head: 'head',
} as const;
type Facts = Partial<Pick<RunRow, keyof typeof NAMES>>;

function differing(row: RunRow, facts: Facts): string[] {
  return (Object.keys(facts) as (keyof Facts)[])
    .filter((name) => row[name] !== facts[name])
    .map((name) => NAMES[name]);
}

function fault(entry: number | null, fields: string[]): RowFault[] {
  return fields.length === 0 ? [] : [{ entry, fields }];
}

/** No row is made of an entry that begins no run, so none can differ from it. */
function factsOrNothing(first: LedgerEntry): Partial<RunFacts> {
  try {
    return runFacts([first]);
  } catch {
    return {};
  }
}
