import type { ImportDecision } from '../protocol/import/demands.ts';

const DELIMITER = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|`{3,})/;

interface FromAsciiDoc {
  text: string;
  /** What the markdown lacks, with lines of the AsciiDoc. */
  decisions: ImportDecision[];
  /** The line of the AsciiDoc for a line of the markdown (1-based). */
  lineOf(line: number): number;
}

/** The markdown of an AsciiDoc document, and what it leaves out. */
export async function fromAsciiDoc(source: string): Promise<FromAsciiDoc> {
  const rows = source
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .map((row) => row.trimEnd());
  // @ts-expect-error: the package has no types
  const { default: convertText } = (await import('downdoc')) as { default: (text: string) => string };
  const text = `${convertText(prepared(rows).join('\n'))}\n`;
  const result = text.split('\n');
  const moved = rows.flatMap((row, at) => (MOVES_CELLS.test(row) ? [at] : []));
  const decisions = [
    { line: 1, what: 'AsciiDoc converted to markdown' },
    ...lostRows(rows, result).map((at) => ({
      line: at + 1,
      what: `left out, in whole or in part, because markdown has nothing for it: ${rows[at]!.trim()}`,
    })),
    ...moved.map((at) => ({
      line: at + 1,
      what: `a cell spans rows or is repeated, so cells may be in another column: ${rows[at]!.trim()}`,
    })),
  ];
  const origins = originsOf(rows, result);
  return { text, decisions, lineOf: (line) => origins[Math.min(line, origins.length) - 1]! + 1 };
}

/**
 * For each row of the result the row of the source that it is made of. Rows with words that no other row has are the fixed points;
 * between two of them, rows with the same words follow each other. A row without a partner is counted from the one before.
 */
function originsOf(rows: readonly string[], result: readonly string[]): number[] {
  const keyOf = (row: string) => (row.toLowerCase().match(WORD) ?? []).join(' ');
  const places = new Map<string, number[]>();
  for (const [at, row] of rows.entries()) {
    const key = keyOf(row);
    places.set(key, [...(places.get(key) ?? []), at]);
  }
  const keys = result.map(keyOf);
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const unique = keys.flatMap((key, line) => {
    const at = key === '' || counts.get(key) !== 1 ? [] : (places.get(key) ?? []);
    return at.length === 1 ? [{ line, at: at[0]! }] : [];
  });
  // A row that moved, such as a note at the end, would put all others behind it.
  const fixed = unique.filter(
    ({ at }, nth) =>
      unique.slice(Math.max(0, nth - 3), nth).every((each) => each.at < at) &&
      unique.slice(nth + 1, nth + 4).every((each) => each.at > at),
  );
  let last = { line: -1, at: -1 };
  let next = 0;
  return keys.map((key, line) => {
    while (next < fixed.length && fixed[next]!.line < line) next += 1;
    const end = fixed[next]?.at ?? rows.length;
    const at =
      fixed[next]?.line === line
        ? end
        : key === ''
          ? undefined
          : places.get(key)?.find((each) => last.at < each && each < end);
    if (at !== undefined) last = { line, at };
    return at ?? Math.max(0, Math.min(last.at + Math.max(line - last.line, 0), end - 1, rows.length - 1));
  });
}

/** For each row the delimiter of the verbatim block or comment that it is in or delimits; null outside. */
function blocksOf(rows: readonly string[]): (string | null)[] {
  let open: string | null = null;
  return rows.map((row) => {
    const mark = DELIMITER.exec(row)?.[0];
    const before = open;
    if (open === null && mark !== undefined && (row === mark || mark.startsWith('`'))) open = mark;
    else if (row === open) open = null;
    return before ?? open;
  });
}

/** Rows whose conversion would lose something, in words that convert: conditions, callouts, cells that span columns. */
function prepared(rows: readonly string[]): string[] {
  const blocks = blocksOf(rows);
  const conditions: { condition: string; isShown: boolean }[] = [];
  /** What each callout of the last block of code is about. */
  let callouts: string[] = [];
  let isTable = false;
  return rows.flatMap((row, at): string[] => {
    const block = blocks[at]!;
    if (block?.startsWith('/')) return [row];
    const directive = /^(ifdef|ifndef|ifeval|endif)::([^[]*)\[(.*)\]$/.exec(row);
    if (directive !== null) {
      // In code the row stays: nothing there can state its condition.
      if (block !== null) return [`\\${row}`];
      const [, kind = '', names = '', text = ''] = directive;
      if (kind === 'endif') {
        const { condition, isShown } = conditions.pop() ?? { condition: 'condition', isShown: true };
        return isShown ? ['', `_End: ${condition}_`, ''] : [];
      }
      const what = kind === 'ifeval' ? text : names.replaceAll(',', ' or ').replaceAll('+', ' and ');
      const condition =
        kind === 'ifdef' ? `if ${what} is set` : kind === 'ifndef' ? `if ${what} is not set` : `if ${what}`;
      if (kind !== 'ifeval' && text !== '') return [`_Only ${condition}:_ ${text}`];
      // A heading or an item has the condition in itself, because what comes before it is a part of another step.
      const isShown = !HEADING.test(nextText(rows, at)) && !LIST_ITEM.test(nextText(rows, at));
      conditions.push({ condition, isShown });
      return isShown ? ['', `_Only ${condition}:_`, ''] : [];
    }
    const open = conditions.map(({ condition }) => `_Only ${condition}:_`).join(' ');
    if (block === null && open !== '') {
      const [, mark] = LIST_ITEM.exec(row) ?? [];
      if (mark !== undefined) return [`${mark}${open} ${row.slice(mark.length)}`];
      if (HEADING.test(row)) return [row, '', open, ''];
    }
    if (block !== null) {
      if (row === block && blocks[at - 1] !== block) callouts = [];
      const [marks = ''] = CALLOUTS.exec(row) ?? [];
      if (marks === '' || /^[+`]/.test(block)) return [row];
      const code = row.slice(0, -marks.length);
      for (const [, number = ''] of marks.matchAll(/<(?:!--)?(\d+|\.)(?:--)?>/g))
        callouts[number === '.' ? callouts.length : Number(number) - 1] = code.trim();
      return [code];
    }
    const note = /^<(\d+|\.)> +(.*)$/.exec(row);
    if (note !== null) {
      const code = note[1] === '.' ? callouts.shift() : callouts[Number(note[1]) - 1];
      // An item with a number would be a step.
      const name = code === undefined || /[`+]/.test(code) ? `(${note[1]})` : `\`+${code}+\``;
      return [`- ${name}: ${note[2]}`];
    }
    if (/^[|,:!]===$/.test(row)) isTable = !isTable;
    return [
      isTable
        ? row.replace(SPAN, (_, columns?: string) => '|'.repeat(Math.min(Number(columns ?? 1), 20)))
        : row,
    ];
  });
}

const HEADING = /^={2,6} +\S/;

const LIST_ITEM = /^((?:\*+|\.+|-|\d+\.) +(?:\[[ x*]\] +)?)\S/;

/** A cell that spans columns (`2+|`), rows (`.2+|`) or both. */
const SPAN = /(?:^|(?<=\s))(?:(\d+)(?:\.\d+)?|\.\d+)\+\|/g;

/** Cells after which others are in another column of the markdown. */
const MOVES_CELLS = /(?:^|\s)(?:\d*\.\d+\+|\d+\*)[<>^.a-z]*\|/;

function nextText(rows: readonly string[], at: number): string {
  return rows.slice(at + 1).find((row) => row !== '') ?? '';
}

/** Marks such as `<1>` at the end of a row of code, with the signs of a comment before them. */
const CALLOUTS = /(?:^|(?<![ \t])[ \t]+)(?:(?:\/\/|#)[ \t]*)?(?:<(?:!--(?:\d+|\.)--|\d+|\.)>[ \t]*)+$/;

const WORD = /[\p{L}\p{N}]{2,}/gu;

/** Rows that stand for something else than words. */
const LAYOUT = /^(?:\[(?!\s*(?:quote|verse)\b).*\]|[|,:!]={3}|(?:ifdef|ifndef|ifeval|endif)::.*)$/;

/** The rows of which words are missing in the result, section by section. */
function lostRows(rows: readonly string[], result: readonly string[]): number[] {
  const blocks = blocksOf(rows);
  const used = new Set(Array.from(rows.join('\n').matchAll(/\{([\w-]+)\}/g), ([, name]) => name));
  const own = sectionsOf(rows, (row, at) => blocks[at] === null && /^={1,6} +\S/.test(row));
  const fences = blocksOf(result);
  const made = sectionsOf(result, (row, at) => fences[at] === null && /^#{1,6} +\S/.test(row));
  const isSame = own.length === made.length;
  const pairs = isSame
    ? own.map((section, at) => [section, made[at]!] as const)
    : [[own.flat(), made.flat()] as const];
  return pairs.flatMap(([section, converted]) => {
    const missing = new Map<string, number>();
    const count = (row: string, by: number) => {
      for (const [word] of row.toLowerCase().matchAll(WORD)) missing.set(word, (missing.get(word) ?? 0) + by);
    };
    const texts = section.map((at) => ({
      at,
      text: LAYOUT.test(rows[at]!) || DELIMITER.test(rows[at]!) ? '' : wordsOf(rows[at]!, used),
    }));
    for (const { text } of texts) count(text, 1);
    for (const at of converted) count(result[at]!, -1);
    // The row with the greatest part of missing words is the lost one.
    const share = (text: string) => {
      const words = text.toLowerCase().match(WORD) ?? [];
      return words.length === 0 ? 0 : words.filter((word) => missing.get(word)! > 0).length / words.length;
    };
    const lost: number[] = [];
    for (const { at, text } of texts
      .map((each) => ({ ...each, part: share(each.text) }))
      .sort((a, b) => b.part - a.part)) {
      if (share(text) === 0) continue;
      lost.push(at);
      count(text, -1);
    }
    return lost.sort((a, b) => a - b);
  });
}

/** The rows of each section, by number. */
function sectionsOf(rows: readonly string[], isHeading: (row: string, at: number) => boolean): number[][] {
  const sections: number[][] = [[]];
  for (const [at, row] of rows.entries()) {
    if (isHeading(row, at)) sections.push([]);
    sections.at(-1)!.push(at);
  }
  return sections;
}

/** The text of a row without the names of its markup. */
function wordsOf(row: string, used: ReadonlySet<string | undefined>): string {
  const attribute = /^:!?([\w-]+)!?:(?: (.*))?$/.exec(row);
  // A reference to an attribute was replaced by its value.
  if (attribute !== null) return used.has(attribute[1]) ? '' : (attribute[2] ?? '');
  return row
    .replace(/^[ \t]*\d+\.[ \t]/, '')
    .replace(/\{[\w-]+\}/g, '')
    .replace(/<<([^>,]*)(?:,([^>]*))?>>/g, '$2')
    .replace(/\b(?:link|xref|image|stem|pass|mailto):{1,2}(?=\S*\[)/g, '')
    .replace(/^[ \t]*\[(?:quote|verse)\b/, '');
}
