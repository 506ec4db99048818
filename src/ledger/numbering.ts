import { GENESIS_HASH } from '../base/canonical.ts';
import { isIntact, type LedgerLine } from './line.ts';
import type { Links } from './links.ts';

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
