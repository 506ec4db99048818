import { canonical } from '../../base/canonical.ts';
import type { ChainRecord, NewRevision, Revision, RunRecord } from '../../store/port.ts';

/** What to do with a record when other content exists under its name. */
export type OnConflict = 'fail' | 'skip' | 'replace';

/** The plan for a chain. `put`: in this order, listed ones over the head; then `remove` unlists the chain. */
export type ChainPlan =
  | { do: 'restore' }
  | { do: 'nothing'; as: 'unchanged' | 'skipped' }
  | { do: 'put'; as: 'extended' | 'replaced' | 'skipped'; revisions: NewRevision[]; remove: boolean }
  | { do: 'refuse'; why: string };

export type RunPlan =
  | { do: 'restore' }
  | { do: 'nothing'; as: 'unchanged' | 'skipped' }
  /** Append the entries that the run here lacks. */
  | { do: 'extend'; from: number }
  /** Another run here has the number: use the next free one. */
  | { do: 'renumber' }
  | { do: 'refuse'; why: string };

/** What a store has of a run. */
export interface HeldRun {
  entries: RunRecord['entries'];
  seal: RunRecord['seal'];
  tombstone?: string | undefined;
}

/**
 * A chain with the same history, head and counts is unchanged. Contents that were always unlisted, and those
 * that runs are pinned to, are kept under every policy, because they change nothing that is listed. `replace`
 * never changes existing content: the newest content becomes a new revision on top, and the counts stay
 * local.
 */
export function planChain(
  held: ChainRecord | null,
  moved: ChainRecord,
  policy: OnConflict,
  pinned: ReadonlySet<string> = new Set(),
): ChainPlan {
  if (held === null) return { do: 'restore' };
  const needed = moved.revisions.filter(({ number, digest }) => number === 0 || pinned.has(digest));
  const beside = missing(held, needed);
  if (sameListing(held, moved)) return put('unchanged', 'extended', beside, false);
  if (policy === 'fail') return { do: 'refuse', why: chainDifference(held, moved) };
  if (policy === 'skip') return put('skipped', 'skipped', beside, false);
  const remove = moved.head === null && held.head !== null;
  return put('skipped', 'replaced', [...beside, ...overlay(held, moved)], remove);
}

/** With `replace` a ledger may be continued. It is never cut, changed or replaced. */
export function planRun(
  held: HeldRun | null,
  holder: string | null,
  moved: RunRecord,
  policy: OnConflict,
): RunPlan {
  if (held === null) {
    if (holder === null) return { do: 'restore' };
    if (policy === 'replace') return { do: 'renumber' };
    if (policy === 'skip') return { do: 'nothing', as: 'skipped' };
    return { do: 'refuse', why: `has number ${moved.storeSeq}, which is that of run ${holder} here` };
  }
  if (held.tombstone !== undefined || moved.tombstone !== undefined) return planPruned(held, moved);
  const [here, there] = [held.entries.length, moved.entries.length];
  const differing = held.entries.findIndex(({ hash }, at) => at < there && hash !== moved.entries[at]?.hash);
  if (differing !== -1)
    return { do: 'refuse', why: `differs from the run of this id here, from entry ${differing} on` };
  if (here === there)
    return canonical(held.seal) === canonical(moved.seal)
      ? { do: 'nothing', as: 'unchanged' }
      : { do: 'refuse', why: 'has another seal than the run of this id here' };
  if (policy === 'skip') return { do: 'nothing', as: 'skipped' };
  if (here > there) return { do: 'refuse', why: `has ${there} entries there, and ${here} here` };
  if (held.seal !== null) return { do: 'refuse', why: `is sealed here, and continues there` };
  if (policy === 'replace') return { do: 'extend', from: here };
  return { do: 'refuse', why: `has ${there} entries, and only ${here} of them here` };
}

/** An import neither prunes a run nor restores a pruned one; what both sides have must be of one record. */
function planPruned(held: HeldRun, moved: RunRecord): RunPlan {
  if (held.tombstone === moved.tombstone) return { do: 'nothing', as: 'unchanged' };
  return headOf(held) === headOf(moved)
    ? { do: 'nothing', as: 'skipped' }
    : { do: 'refuse', why: 'differs from the run of this id here, which was pruned here or there' };
}

function headOf({ entries, tombstone }: HeldRun): unknown {
  if (tombstone === undefined) return entries.at(-1)?.hash;
  return (JSON.parse(tombstone) as { head?: unknown }).head;
}

function put(
  nothing: 'unchanged' | 'skipped',
  as: 'extended' | 'replaced' | 'skipped',
  revisions: NewRevision[],
  remove: boolean,
): ChainPlan {
  if (revisions.length === 0 && !remove) return { do: 'nothing', as: nothing };
  return { do: 'put', as, revisions, remove };
}

function sameListing(held: ChainRecord, moved: ChainRecord): boolean {
  return canonical(listing(held)) === canonical(listing(moved));
}

function listing(chain: ChainRecord) {
  const { space, head, quality } = chain;
  return { space, head, quality, listed: listedOf(chain).map(({ content: _, ...facts }) => facts) };
}

function chainDifference(held: ChainRecord, moved: ChainRecord): string {
  const digestOf = ({ head, revisions }: ChainRecord) =>
    revisions.find(({ number }) => number === head)?.digest;
  if (held.head === null && moved.head !== null) return 'is not live here';
  if (held.head !== null && moved.head === null) return 'is deleted or unlisted there, and live here';
  if (digestOf(held) !== digestOf(moved)) return 'has another newest content here';
  return canonical(held.quality) === canonical(moved.quality)
    ? 'has another history here'
    : 'has other counts of runs here';
}

function missing(held: ChainRecord, wanted: readonly Revision[]): NewRevision[] {
  const known = new Set(held.revisions.map(({ digest }) => digest));
  return wanted.filter(({ digest }) => !known.has(digest)).map((revision) => asNew(revision, false));
}

/** What to add on top: in the same places, if the history here is the beginning of theirs. */
function overlay(held: ChainRecord, moved: ChainRecord): NewRevision[] {
  const ours = listedOf(held);
  const theirs = listedOf(moved);
  const newest = theirs.at(-1);
  if (newest === undefined || moved.head === null) return missing(held, theirs);
  if (theirs.length > ours.length && ours.every(({ digest }, at) => digest === theirs[at]?.digest))
    return theirs.slice(ours.length).map((revision) => asNew(revision, true));
  const isOnTop = held.head !== null && ours.at(-1)?.digest === newest.digest;
  const older = missing(held, theirs.slice(0, -1));
  return isOnTop ? older : [...older, asNew(newest, true)];
}

function listedOf({ revisions }: ChainRecord): Revision[] {
  return revisions.filter(({ number }) => number > 0);
}

function asNew({ number: _, ...revision }: Revision, listed: boolean): NewRevision {
  return { ...revision, listed };
}
