/**
 * Reads `a=b n=1 q="two words" o={"k": [1]}` as the arguments of a tool: JSON where a value is JSON, else
 * text. Null when a part isn't `key=value`, a key is a duplicate, or a value in quotes or brackets doesn't
 * end.
 */
export function parseToolArguments(text: string): Record<string, unknown> | null {
  const found = new Map<string, unknown>();
  let at = 0;
  while (at < text.length) {
    const key = /^[^\s="'{}[\]]+(?==)/.exec(text.slice(at))?.[0];
    if (key === undefined || key === '__proto__' || found.has(key)) return null;
    const start = at + key.length + 1;
    const end = valueEnd(text, start);
    if (end === -1 || (end < text.length && !/\s/.test(text[end]!))) return null;
    const value = readValue(text.slice(start, end));
    if (value === undefined) return null;
    found.set(key, value);
    at = end;
    while (at < text.length && /\s/.test(text[at]!)) at += 1;
  }
  return Object.fromEntries(found);
}

/** Undefined for text that looks like JSON without being JSON. */
function readValue(written: string): unknown {
  if (written.startsWith("'")) return written.slice(1, -1);
  try {
    return JSON.parse(written);
  } catch {
    return /^["{[]/.test(written) ? undefined : written;
  }
}

/** The offset after a value; -1 when it does not end. */
function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === "'") return after(text.indexOf("'", start + 1));
  if (first !== '"' && first !== '{' && first !== '[') {
    const space = text.slice(start).search(/\s/);
    return space === -1 ? text.length : start + space;
  }
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '"') {
      at += 1;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      if (at >= text.length) return -1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

function after(index: number): number {
  return index === -1 ? -1 : index + 1;
}
