/** What a comment begins with. */
export const COMMENT_OPEN = '<!--';

/** The HTML comments in a range of a text that is an HTML block (CommonMark 4.6), as ranges of offsets. */
export function commentsInHtml(source: string, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  const text = source.slice(start, end);
  for (let at = start; at < end; ) {
    const open = text.indexOf(COMMENT_OPEN, at - start);
    const range = open === -1 ? null : commentAt(source, open + start, end);
    if (range === null) break;
    found.push(range);
    at = range[1];
  }
  return found;
}

/**
 * The HTML comments in a range of running text (CommonMark 6.6), as ranges of offsets. Backslashes escape,
 * and code spans hide their content.
 */
export function commentsInText(source: string, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  const runs = new Map<number, number>();
  let isClosable = true;
  let at = start;
  while (at < end) {
    const char = source[at];
    if (char === '\\') at += 2;
    else if (char === '`') at = skipCodeSpan(source, at, end, runs);
    else if (char === '<' && source.startsWith(COMMENT_OPEN, at)) {
      const range = isClosable ? commentAt(source, at, end) : shortComment(source, at);
      // Where one comment isn't closed, no later one is.
      if (range === null) isClosable = false;
      else found.push(range);
      at = range?.[1] ?? at + COMMENT_OPEN.length;
    } else at += 1;
  }
  return found;
}

function commentAt(source: string, open: number, end: number): [number, number] | null {
  const short = shortComment(source, open);
  if (short !== null) return short;
  const inside = open + COMMENT_OPEN.length;
  const close = source.slice(inside, end).indexOf('-->');
  return close === -1 ? null : [open, inside + close + 3];
}

/** `<!-->` and `<!--->` are whole comments. */
function shortComment(source: string, open: number): [number, number] | null {
  const inside = open + COMMENT_OPEN.length;
  const short = /^-?>/.exec(source.slice(inside, inside + 2));
  return short === null ? null : [open, inside + short[0].length];
}

/**
 * The offset after the code span that a run of backticks opens: the next run of the same length closes it. An unclosed run is
 * text, and the offset after the run is returned. `runs` keeps where the last run of each length begins, per range, so that
 * unclosed runs don't cost a search each.
 */
export function skipCodeSpan(source: string, open: number, end: number, runs: Map<number, number>): number {
  if (runs.size === 0) {
    for (const { 0: run, index } of source.slice(open, end).matchAll(/`+/g))
      runs.set(run.length, open + index);
  }
  let at = open;
  while (at < end && source[at] === '`') at += 1;
  const length = at - open;
  const after = at;
  if ((runs.get(length) ?? -1) <= open) return after;
  while (at < end) {
    if (source[at] !== '`') {
      at += 1;
      continue;
    }
    const run = at;
    while (at < end && source[at] === '`') at += 1;
    if (at - run === length) return at;
  }
  return after;
}

/** A code span with its backticks. Offsets, half-open. */
export interface CodeSpan {
  start: number;
  end: number;
}

/** The code spans of a running text, in order (CommonMark 6.1). Needs linear time. */
export function codeSpans(text: string): CodeSpan[] {
  const spans: CodeSpan[] = [];
  const runs = new Map<number, number>();
  for (let at = 0; at < text.length; ) {
    const char = text[at];
    if (char === '\\') at += 2;
    else if (char !== '`') at += 1;
    else {
      const end = skipCodeSpan(text, at, text.length, runs);
      if (isSpan(text, at, end)) spans.push({ start: at, end });
      at = end;
    }
  }
  return spans;
}

/** Whether there is more than the opening run between two offsets. */
function isSpan(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (text[at] !== '`') return true;
  return false;
}
