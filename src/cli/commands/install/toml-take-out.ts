import type { TomlMarks } from './toml-marks.ts';
import { isBelow, lineEnd, type TomlDocument } from './toml-statements.ts';

interface Lines {
  start: number;
  /** Behind the line's end. */
  end: number;
}

/**
 * Takes a server out, whoever wrote it: its table, the tables below it, dotted keys. Comments that do not stand inside of a
 * table or between the marks stay, and so does what somebody else wrote between the marks.
 */
export function takeOutOfToml(
  text: string,
  { path, document, marks }: { path: string[]; document: TomlDocument; marks: TomlMarks | null },
): string {
  const { statements } = document;
  const lines: Lines[] = [];
  for (const [at, statement] of statements.entries()) {
    if (!isBelow(statement.path, path)) continue;
    const previous = statements[at - 1];
    // From its header on a table goes with the comments between its keys.
    if (previous !== undefined && isBelow(previous.table, path))
      lines.at(-1)!.end = wholeLines(text, statement).end;
    else lines.push(wholeLines(text, statement));
  }
  if (marks !== null) {
    const between = statements.filter(({ start }) => start > marks.begin.start && start < marks.end.start);
    if (between.every((statement) => isBelow(statement.path, path)))
      lines.push(wholeLines(text, { start: marks.begin.start, end: marks.end.end }));
    else lines.push(wholeLines(text, marks.begin), wholeLines(text, marks.end));
  }
  return joined(lines).reduceRight(withoutLines, text);
}

function wholeLines(text: string, { start, end }: Lines): Lines {
  const after = text.indexOf('\n', lineEnd(text, end));
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: after === -1 ? text.length : after + 1 };
}

/** In order, and one where they meet. */
function joined(lines: readonly Lines[]): Lines[] {
  const result: Lines[] = [];
  for (const { start, end } of lines.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** One blank line is left where there was one on either side, and none at the ends. */
function withoutLines(text: string, { start, end }: Lines): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (after.trim() === '') return before.replace(/(?:^|(?<=\n))[ \t\r\n]+$/, '');
  if (before.trim() === '' || /\n[ \t]*\r?\n$/.test(before))
    return before + after.replace(/^(?:[ \t]*\r?\n)+/, '');
  return before + after;
}
