import type { ContainerBlock, InnerBlock } from './blocks.ts';
import {
  addBlock,
  addText,
  type FastPathReader,
  fenceEnd,
  isBlank,
  kindFrom,
  markEnd,
  startsWithOne,
  textStart,
} from './plain-lines.ts';

/** An open item: the column of its content, and the character that distinguishes its list. */
interface Item {
  column: number;
  mark: string;
}

interface ListReading {
  reader: FastPathReader;
  inner: InnerBlock[];
  /** From the outermost to the innermost. */
  items: Item[];
  /** The paragraph that the last line belongs to. */
  open: InnerBlock | null;
  /** Where the blocks of the last outermost item begin, and its line. */
  begun: { at: number; line: number };
}

const MAX_DEPTH = 16;

/** Reads a list whose items contain text, fences and lists of the same kind; null for anything else. */
export function readList(reader: FastPathReader, first: number): ContainerBlock | null {
  const list: ListReading = { reader, inner: [], items: [], open: null, begun: { at: 0, line: first } };
  let last = first;
  for (let line = first; line < reader.lines.starts.length; line += 1) {
    if (isBlank(reader, line)) {
      list.open = null;
      continue;
    }
    const end = readLine(list, line);
    if (end === null) return null;
    if (end < line) break;
    last = end;
    line = end;
  }
  markWhole(list);
  return { type: 'list', first, last, inner: list.inner };
}

/** Returns the last line read, one before `line` when the list ends above it, null when it isn't simple. */
function readLine(list: ListReading, line: number): number | null {
  const { reader, items, open } = list;
  const at = textStart(reader, line);
  const column = at - reader.lines.starts[line]!;
  let depth = 0;
  while (depth < items.length && column >= items[depth]!.column) depth += 1;
  const base = depth === 0 ? 0 : items[depth - 1]!.column;
  const isOwn = depth === items.length;
  if (column - base > 3) return open === null ? null : addLine(list, line, at);
  const kind = kindFrom(reader, line, at);
  switch (kind) {
    case 'bullet':
    case 'number':
      return readItem(list, line, at, depth);
    case 'text':
      if (open !== null) return addLine(list, line, at);
      if (depth === 0) return line - 1;
      items.length = depth;
      return addLine(list, line, at);
    case 'fence':
      if (depth === 0) return line - 1;
      return isOwn ? readFence(list, line, at) : null;
    case 'heading':
    case 'comment':
      return depth === 0 ? line - 1 : null;
    default:
      return depth === 0 && open === null && kind !== 'unsure' ? line - 1 : null;
  }
}

function addLine(list: ListReading, line: number, at: number): number {
  const { source, lines } = list.reader;
  list.open = addText(list.inner, list.open, line, source.slice(at, lines.ends[line]));
  return line;
}

/** An item with another mark than the list's begins another list. */
function readItem(list: ListReading, line: number, at: number, depth: number): number | null {
  const { reader, items } = list;
  const { source, lines } = reader;
  const end = lines.ends[line]!;
  const after = markEnd(source, at, end);
  const mark = source[after - 1]!;
  const isSibling = items[depth]?.mark === mark;
  const interrupts = list.open !== null && !isSibling;
  if (interrupts && (mark === '.' || mark === ')') && !startsWithOne(source, at)) return null;
  if (depth === 0 && items.length > 0 && !isSibling) return line - 1;
  let content = after;
  while (source.charCodeAt(content) === 32) content += 1;
  if (content - after > 4 || depth >= MAX_DEPTH || kindFrom(reader, line, content) !== 'text') return null;
  if (depth === 0) {
    markWhole(list);
    list.begun = { at: list.inner.length, line };
  }
  items.length = depth;
  items.push({ column: content - lines.starts[line]!, mark });
  list.open = addText(list.inner, null, line, source.slice(content, end));
  return line;
}

function readFence(list: ListReading, line: number, at: number): number | null {
  const { reader, items } = list;
  const { source, lines } = reader;
  const { column } = items.at(-1)!;
  const info = source.slice(markEnd(source, at, lines.ends[line]!), lines.ends[line]).trim();
  const last = fenceEnd(reader, line, at, column);
  if (last === null || at - lines.starts[line]! !== column || /[\\&]/.test(info)) return null;
  const rows: string[] = [];
  for (let row = line + 1; row < last; row += 1) {
    rows.push(isBlank(reader, row) ? '' : source.slice(lines.starts[row]! + column, lines.ends[row]));
  }
  addBlock(list.inner, 'code', { first: line, last }, rows.join('\n'), info);
  list.open = null;
  return last;
}

/** Marks the text of the last outermost item when it is all there is in it, on one line. */
function markWhole({ inner, begun }: ListReading): void {
  const [only] = inner.slice(begun.at);
  if (inner.length !== begun.at + 1 || only?.type !== 'paragraph') return;
  only.wholeItem = only.last === begun.line;
}
