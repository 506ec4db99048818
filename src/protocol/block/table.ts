/**
 * The row that is the header of a table in the rows of a text (GFM, Tables); -1 without one. All rows after
 * it belong to the table.
 */
export function tableStart(rows: readonly string[]): number {
  const delimiter = rows.findIndex((row, at) => {
    const before = rows[at - 1];
    return (
      before !== undefined &&
      DELIMITER_ROW.test(row.trimEnd()) &&
      cellsOf(before).length === cellsOf(row).length
    );
  });
  return delimiter === -1 ? -1 : delimiter - 1;
}

/** Hyphens between pipes; a row without a pipe or colon would underline a heading, which isn't text. */
const DELIMITER_ROW = /^ {0,3}\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/;

/** The cells of a row without the white space around them, and where each begins. A pipe after a backslash parts none. */
export function cellsOf(row: string): { text: string; start: number }[] {
  const cells: { text: string; start: number }[] = [];
  const margin = row.length - row.trimStart().length;
  let begin = row[margin] === '|' ? margin + 1 : margin;
  const end = row.trimEnd().length;
  for (let at = begin; at <= end; at += 1) {
    if (at < end && row[at] === '\\') at += 1;
    else if (at === end || row[at] === '|') {
      const written = row.slice(begin, at);
      const isAfterLastPipe = at === end && written === '';
      const lead = written.length - written.trimStart().length;
      if (!isAfterLastPipe) cells.push({ text: written.trim(), start: begin + lead });
      begin = at + 1;
    }
  }
  return cells;
}
