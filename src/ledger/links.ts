import { GENESIS_HASH } from '../base/canonical.ts';
import { isIntact, type LedgerLine } from './line.ts';

/** How entries are linked by `prev`, in any order. */
export interface Links {
  /** Steps from the entry back to where its piece of chain begins. */
  depth: Map<LedgerLine, number>;
  /** The first entry of its piece. */
  root: Map<LedgerLine, LedgerLine>;
  /** How many entries follow, at most, on an entry with this hash. */
  weight: Map<string, number>;
}

/**
 * Links each entry to the one that its `prev` names: by its recorded hash, or else by the hash that it should
 * have, so that a changed hash doesn't break the chain.
 */
export function linkUp(entries: readonly LedgerLine[]): Links {
  const named = byHash(entries);
  const depth = new Map<LedgerLine, number>();
  const root = new Map<LedgerLine, LedgerLine>();
  for (const line of entries) {
    const path: LedgerLine[] = [];
    let parent: LedgerLine | undefined = line;
    const onPath = new Set<LedgerLine>();
    while (parent !== undefined && !depth.has(parent) && !onPath.has(parent)) {
      path.push(parent);
      onPath.add(parent);
      parent = parent.prev === null ? undefined : named.get(parent.prev);
    }
    // Stored hashes may be forged into a circle; it is cut where it closes.
    if (parent !== undefined && !depth.has(parent)) parent = undefined;
    for (const child of path.reverse()) {
      depth.set(child, parent === undefined ? 0 : (depth.get(parent) ?? 0) + 1);
      root.set(child, (parent === undefined ? undefined : root.get(parent)) ?? child);
      parent = child;
    }
  }
  return { depth, root, weight: weigh(entries, depth) };
}

/** Hashes that a valid seal vouches for: those of whole entries on the way back from its head, until a link is torn. */
export function followLinksBack(entries: readonly LedgerLine[], head: string): Set<string> {
  const whole = byHash(entries.filter(isIntact));
  const vouched = new Set<string>();
  let at = whole.get(head);
  while (at?.hash != null && !vouched.has(at.hash)) {
    vouched.add(at.hash);
    at = at.prev === null ? undefined : whole.get(at.prev);
  }
  return vouched;
}

/** Of several lines with one hash the first counts; a recorded hash precedes a computed one. */
function byHash(entries: readonly LedgerLine[]): Map<string, LedgerLine> {
  const named = new Map<string, LedgerLine>();
  for (const key of ['hash', 'computed'] as const) {
    for (const line of entries) {
      const hash = line[key];
      if (hash !== null && !named.has(hash)) named.set(hash, line);
    }
  }
  return named;
}

function weigh(entries: readonly LedgerLine[], depth: Map<LedgerLine, number>): Map<string, number> {
  const weight = new Map<string, number>();
  for (const line of entries.toSorted((a, b) => (depth.get(b) ?? 0) - (depth.get(a) ?? 0))) {
    if (line.prev === null) continue;
    const following = 1 + (line.hash === null ? 0 : (weight.get(line.hash) ?? 0));
    weight.set(line.prev, Math.max(following, weight.get(line.prev) ?? 0));
  }
  return weight;
}

interface Piece {
  size: number;
  /** Where the piece would begin if an entry's number is right: how many entries agree. */
  whole: Map<number, number>;
  edited: Map<number, number>;
}

/**
 * The number of each entry: how far it is from the beginning of its piece of chain, and where that piece must begin
 * for most numbers of whole entries to be right. An entry that hangs on nothing and is not whole gets none.
 */
export function numberEntries(
  entries: readonly LedgerLine[],
  { depth, root }: Links,
): Map<LedgerLine, number> {
  const pieces = new Map<LedgerLine, Piece>();
  for (const line of entries) {
    const top = root.get(line) ?? line;
    const piece = pieces.get(top) ?? { size: 0, whole: new Map(), edited: new Map() };
    pieces.set(top, piece);
    piece.size += 1;
    const begin = line.seq === null ? -1 : line.seq - (depth.get(line) ?? 0);
    if (begin < 0) continue;
    const votes = isIntact(line) ? piece.whole : piece.edited;
    votes.set(begin, (votes.get(begin) ?? 0) + 1);
  }
  const begins = new Map([...pieces].map(([top, piece]) => [top, beginOf(top, piece)]));
  const numbers = new Map<LedgerLine, number>();
  for (const line of entries) {
    const begin = begins.get(root.get(line) ?? line) ?? null;
    if (begin !== null) numbers.set(line, begin + (depth.get(line) ?? 0));
  }
  return numbers;
}

function beginOf(top: LedgerLine, { size, whole, edited }: Piece): number | null {
  if (whole.size > 0) return winner(whole);
  if (top.prev === GENESIS_HASH) return 0;
  return size > 1 ? winner(edited) : null;
}

function winner(votes: Map<number, number>): number | null {
  const [best] = [...votes].sort(([a, x], [b, y]) => y - x || a - b);
  return best?.[0] ?? null;
}
