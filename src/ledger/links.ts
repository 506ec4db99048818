import { GENESIS_HASH } from '../base/canonical.ts';
import { isIntact, type LedgerLine } from './line.ts';

/** How entries are linked by `prev`, in any order. */
interface Links {
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
function linkUp(entries: readonly LedgerLine[]): Links {
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
function followLinksBack(entries: readonly LedgerLine[], head: string): Set<string> {
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
function numberEntries(entries: readonly LedgerLine[], { depth, root }: Links): Map<LedgerLine, number> {
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

/** Which entry each line is. */
interface Alignment {
  /** The line that stands for an entry, by the entry's number, ascending. */
  kept: Map<number, LedgerLine>;
  /** Extra lines: another line is that entry already. Number null: it isn't an entry of this run. */
  extra: { line: LedgerLine; entry: number | null }[];
}

/**
 * Determines which entry each line is, although any of them may have been changed, moved, duplicated or
 * removed. Links come first, because an edited entry leaves the hash that the next one names. Then numbers,
 * as `numberEntries` weighs them. Other lines are placed where their neighbours leave room. `seal`: head and
 * count of a valid one.
 */
export function align(lines: readonly LedgerLine[], seal: { head: string; count: number } | null): Alignment {
  const entries = lines.filter(({ kind }) => kind === 'entry');
  const links = linkUp(entries);
  const numbers = numberEntries(entries, links);
  const vouched = seal === null ? new Set<string>() : followLinksBack(entries, seal.head);
  const end = seal?.count ?? Number.POSITIVE_INFINITY;
  const { kept, losers } = settle(lines, numbers, links, vouched, end);
  const extra = fillGaps(lines, numbers, kept, losers, end);
  return { kept: new Map([...kept].sort(([a], [b]) => a - b)), extra };
}

/** Of the lines that have the same number, one is the entry; the others lose. */
function settle(
  lines: readonly LedgerLine[],
  numbers: Map<LedgerLine, number>,
  { weight }: Links,
  vouched: Set<string>,
  end: number,
): { kept: Map<number, LedgerLine>; losers: Set<LedgerLine> } {
  const place = new Map(lines.map((line, index) => [line, index]));
  const score = (line: LedgerLine, number: number) => {
    const index = place.get(line) ?? 0;
    const before = lines[index - 1];
    const after = lines[index + 1];
    return [
      line.hash !== null && vouched.has(line.hash) ? 1 : 0,
      line.hash === null ? 0 : (weight.get(line.hash) ?? 0),
      isIntact(line) ? 1 : 0,
      Number(before !== undefined && numbers.get(before) === number - 1) +
        Number(after !== undefined && numbers.get(after) === number + 1),
    ];
  };
  const kept = new Map<number, LedgerLine>();
  const losers = new Set<LedgerLine>();
  for (const [line, number] of numbers) {
    const holder = kept.get(number);
    if (number >= end) {
      losers.add(line);
    } else if (holder === undefined) {
      kept.set(number, line);
    } else {
      const better = isBetter(score(line, number), score(holder, number));
      kept.set(number, better ? line : holder);
      losers.add(better ? holder : line);
    }
  }
  return { kept, losers };
}

/**
 * Lines without a link: their own number if it fits there, else the next free one. An edited entry that lost
 * its number may also have an edited link, so it gets the same chance.
 */
function fillGaps(
  lines: readonly LedgerLine[],
  numbers: Map<LedgerLine, number>,
  kept: Map<number, LedgerLine>,
  losers: Set<LedgerLine>,
  end: number,
): Alignment['extra'] {
  const extra: Alignment['extra'] = [];
  const settled = (line: LedgerLine) => (losers.has(line) ? undefined : numbers.get(line));
  const limits: number[] = [];
  for (const line of lines.toReversed()) limits.push(settled(line) ?? limits.at(-1) ?? end);
  let before = -1;
  for (const line of lines) {
    const limit = limits.pop() ?? end;
    const number = numbers.get(line);
    if (number !== undefined && !losers.has(line)) {
      before = number;
      continue;
    }
    const free = line.seq !== null && line.seq > before && line.seq < limit ? line.seq : before + 1;
    const isLoose = number === undefined || (!isIntact(line) && line.text !== kept.get(number)?.text);
    if (isLoose && free < end && !kept.has(free)) {
      before = free;
      kept.set(free, line);
    } else {
      extra.push({ line, entry: number ?? null });
    }
  }
  return extra;
}

function isBetter(score: number[], than: number[]): boolean {
  const index = score.findIndex((value, at) => value !== than[at]);
  return index !== -1 && (score[index] ?? 0) > (than[index] ?? 0);
}
