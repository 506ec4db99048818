/** What a comment begins with. */
export const COMMENT_OPEN = '<!--';

/** The HTML comments in a range of a text that is an HTML block (CommonMark 4.6), as ranges of offsets. */
export function commentsInHtml(source: string, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  for (let at = start; at < end; ) {
    const range = commentAt(source, source.indexOf(COMMENT_OPEN, at), end);
    if (range === null) break;
    found.push(range);
    at = range[1];
  }
  return found;
}

/**
 * The HTML comments in a range of running text (CommonMark 6.6), as ranges of offsets. Backslashes escape, and code spans hide
 * what they hold.
 */
export function commentsInText(source: string, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  let at = start;
  while (at < end) {
    const char = source[at];
    if (char === '\\') at += 2;
    else if (char === '`') at = skipCodeSpan(source, at, end);
    else if (char === '<' && source.startsWith(COMMENT_OPEN, at)) {
      const range = commentAt(source, at, end);
      if (range !== null) found.push(range);
      at = range?.[1] ?? at + COMMENT_OPEN.length;
    } else at += 1;
  }
  return found;
}

/** `<!-->` and `<!--->` are whole comments. */
function commentAt(source: string, open: number, end: number): [number, number] | null {
  if (open === -1 || open >= end) return null;
  const short = /^-?>/.exec(source.slice(open + COMMENT_OPEN.length, open + COMMENT_OPEN.length + 2));
  if (short !== null) return [open, open + COMMENT_OPEN.length + short[0].length];
  const close = source.indexOf('-->', open + COMMENT_OPEN.length);
  return close === -1 || close + 3 > end ? null : [open, close + 3];
}

/** A run of backticks is closed by the next run of the same length; unclosed, it is text. */
function skipCodeSpan(source: string, open: number, end: number): number {
  let at = open;
  while (source[at] === '`') at += 1;
  const length = at - open;
  const after = at;
  while (at < end) {
    if (source[at] !== '`') {
      at += 1;
      continue;
    }
    const run = at;
    while (source[at] === '`') at += 1;
    if (at - run === length) return at;
  }
  return after;
}
