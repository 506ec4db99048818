import { isIntact, type LedgerLine } from './line.ts';
import { followLinksBack, type Links, linkUp, numberEntries } from './links.ts';

/** Which entry each line is. */
export interface Alignment {
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
