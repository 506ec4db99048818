import { KairosError } from '../base/errors.ts';
import { checkTombstone, type Tombstone } from '../ledger/beside.ts';
import type { EntryData, LedgerEntry } from '../ledger/entry.ts';
import type { RunRow } from './port.ts';

/** What the index row of a run gets from its first entry. */
export type RunFacts = Pick<
  RunRow,
  'space' | 'chainId' | 'digest' | 'slug' | 'title' | 'actor' | 'session' | 'begunAt'
>;

/** Facts of a run from its `run.begun` entry. Throws INTERNAL when the entries do not begin with a whole one. */
export function runFacts(entries: readonly LedgerEntry[]): RunFacts {
  const begun = entries[0];
  if (begun?.kind !== 'run.begun') {
    throw new KairosError('INTERNAL', 'a run must begin with a run.begun entry');
  }
  const { data } = begun;
  return {
    space: textOf(data, 'space'),
    chainId: textOf(data, 'chain_id'),
    digest: textOf(data, 'digest'),
    slug: textOf(data, 'slug'),
    title: textOf(data, 'title'),
    actor: textOf(data, 'actor'),
    session: data.session === null || data.session === undefined ? null : textOf(data, 'session'),
    begunAt: begun.at,
  };
}

/** The row of a pruned run out of its tombstone. Throws INTERNAL for one that is not whole. */
export function prunedRow(runId: string, storeSeq: number, tombstone: string): RunRow {
  const checked = checkTombstone(tombstone, runId);
  if (!checked.ok) throw new KairosError('INTERNAL', `the tombstone of run ${runId} ${checked.reason}`);
  return { runId, storeSeq, ...prunedFacts(checked.value), tombstone };
}

/** What the index row of a pruned run gets from its tombstone. */
export function prunedFacts(tombstone: Tombstone): Omit<RunRow, 'runId' | 'storeSeq' | 'tombstone'> {
  const { space, digest, slug, title, actor, session, outcome, head } = tombstone;
  const { chain_id: chainId, begun_at: begunAt, sealed_at: sealedAt, count: entryCount } = tombstone;
  return {
    space,
    chainId,
    digest,
    slug,
    title,
    actor,
    session,
    begunAt,
    sealedAt,
    outcome,
    head,
    entryCount,
  };
}

/** When and how a run was sealed, read from these entries. */
export function sealFacts(entries: readonly LedgerEntry[]): Pick<RunRow, 'sealedAt' | 'outcome'> {
  const sealed = entries.find(({ kind }) => kind === 'run.sealed');
  if (sealed === undefined) return { sealedAt: null, outcome: null };
  return { sealedAt: sealed.at, outcome: sealed.data.outcome === 'success' ? 'success' : 'failure' };
}

/** SHA-256 of the nonces that an entry showed: by them a run is found again. */
export function noncesOf({ kind, data }: LedgerEntry): string[] {
  return kind === 'step.shown' && typeof data.nonce_sha256 === 'string' ? [data.nonce_sha256] : [];
}

function textOf(data: EntryData, key: string): string {
  const value = data[key];
  if (typeof value === 'string') return value;
  throw new KairosError('INTERNAL', `the run.begun entry lacks ${key}`);
}

/** What an index row states differently from the ledger. */
interface RowFault {
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
