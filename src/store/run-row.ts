import { KairosError } from '../base/errors.ts';
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

/** When and how a run was sealed, as far as these entries show. */
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
