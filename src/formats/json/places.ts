/**
 * The place of a value in a JSON text (RFC 8259), offsets in UTF-16 units. The text is valid JSON, because
 * the parser has read it. Of duplicate keys the last one counts, as in `JSON.parse`. Null for an unknown
 * path.
 */
export function locateJsonValue(text: string, path: readonly (string | number)[]): BlockValue | null {
  let key: [number, number] | null = null;
  let at = skipSpace(text, 0);
  for (const part of path) {
    const found = typeof part === 'number' ? item(text, at, part) : member(text, at, part);
    if (found === null) return null;
    [key, at] = found;
  }
  const end = skipValue(text, at);
  const start = at;
  const offsetOf = unitsOf(text, start, end);
  return {
    key,
    value: [start, end],
    inside: (from, to) => (text[start] === '"' ? [offsetOf(from), offsetOf(to)] : [start, end]),
  };
}

/** The place of a key and the start of its value. */
function member(text: string, open: number, name: string): [key: [number, number], value: number] | null {
  if (text[open] !== '{') return null;
  let found: [[number, number], number] | null = null;
  let at = skipSpace(text, open + 1);
  while (text[at] === '"') {
    const keyEnd = skipString(text, at);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (JSON.parse(text.slice(at, keyEnd)) === name) found = [[at, keyEnd], value];
    at = skipSpace(text, skipValue(text, value));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

function item(text: string, open: number, index: number): [key: null, value: number] | null {
  if (text[open] !== '[') return null;
  let at = skipSpace(text, open + 1);
  for (let seen = 0; at < text.length && text[at] !== ']'; seen += 1) {
    if (seen === index) return [null, at];
    at = skipSpace(text, skipValue(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return null;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1;
  return at;
}

/** The offset after the value that begins here. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"') at = skipString(text, at);
    else if ('{['.includes(char)) {
      depth += 1;
      at += 1;
    } else if ('}]'.includes(char)) {
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
    } else if (depth === 0) {
      while (at < text.length && !',}] \t\r\n'.includes(text[at]!)) at += 1;
      return at;
    } else at += 1;
    if (depth === 0) return at;
  }
  return at;
}

function skipString(text: string, open: number): number {
  let at = open + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Returns the offset at which a unit of the decoded string is written. Its escapes are found once, and only if it is asked. */
function unitsOf(text: string, start: number, end: number): (unit: number) => number {
  let escapes: { unit: number; after: number }[] | undefined;
  return (unit) => {
    escapes ??= escapesIn(text.slice(start + 1, end - 1));
    let [low, high] = [0, escapes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (escapes[middle]!.unit < unit) low = middle + 1;
      else high = middle;
    }
    const { unit: last, after } = escapes[low - 1] ?? { unit: -1, after: 0 };
    return Math.min(start + 1 + after + (unit - last - 1), end - 1);
  };
}

/** For each escape of a string's text: the unit that it stands for, and the offset after it. */
function escapesIn(inner: string): { unit: number; after: number }[] {
  let shorter = 0;
  return Array.from(inner.matchAll(/\\(?:u.{4}|[^u])/gs), ({ 0: written, index }) => {
    const unit = index - shorter;
    shorter += written.length - 1;
    return { unit, after: index + written.length };
  });
}

/** A value inside the text of a step block; ranges are half-open offsets of that text. */
export interface BlockValue {
  key: [start: number, end: number] | null;
  value: [start: number, end: number];
  /** Of a string: the range in which units of the decoded text are written; the whole value where that is not simple. */
  inside(from: number, to: number): [start: number, end: number];
}

export type LocateValue = (text: string, path: readonly (string | number)[]) => BlockValue | null;
