const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * The half-open range of the next line that isn't blank. If a code fence begins there, the range is the whole
 * fenced block (CommonMark section 4.5), because a comment can't be inside it.
 */
export function nextLine(source: string, after: number): [start: number, end: number] {
  let start = lineEnd(source, after);
  while (start < source.length && source.slice(start, lineEnd(source, start)).trim() === '') {
    start = lineEnd(source, start);
  }
  const end = lineEnd(source, start);
  const fence = FENCE.exec(source.slice(start, end))?.[1];
  return [start, fence === undefined ? end : fenceEnd(source, end, fence)];
}

function fenceEnd(source: string, from: number, fence: string): number {
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*[\\r\\n]*$`);
  let start = from;
  while (start < source.length) {
    const end = lineEnd(source, start);
    if (closing.test(source.slice(start, end))) return end;
    start = end;
  }
  return source.length;
}

/** The offset after the line's ending: LF, CRLF or CR. */
function lineEnd(source: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\n') return at + 1;
    if (source[at] === '\r') return source[at + 1] === '\n' ? at + 2 : at + 1;
  }
  return source.length;
}
