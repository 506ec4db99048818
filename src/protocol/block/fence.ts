import { suggest } from '../../base/errors.ts';
import type { Place, Problem } from '../model.ts';
import { type LineIndex, placeBetween } from '../position.ts';
import type { Lines } from '../scan/blocks.ts';
import { INTERPRETERS } from '../terms.ts';
import type { Locator, Path } from './value.ts';

/** A fenced code block at the top level of a document. */
export interface Fence extends Lines {
  /** First word of the info string as written; empty without one. */
  language: string;
  /** The info string after the language, and where it begins in the source. */
  meta: string;
  metaStart: number;
  marker: string;
  /** The text between the fences, without their indentation, lines ended by LF. */
  text: string;
  closed: boolean;
  /** The line that opens it. */
  opening: Place;
  place: Place;
  valuePlace: Place;
  /** From an offset in `text` to the offset in the source. */
  toSource(offset: number): number;
}

const OPENING = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`]*)/;

/** Reads a fenced block's parts from the source (CommonMark 4.5). */
export function readFence(source: string, lines: LineIndex, { first, last }: Lines): Fence {
  const { starts, ends } = lines;
  const line = source.slice(starts[first], ends[first]);
  const [head, indent, marker, language] = OPENING.exec(line)!;
  const rest = line.slice(head.length);
  const meta = rest.trim();
  const closed = last > first && isClosing(source.slice(starts[last], ends[last]), marker!);
  const end = closed ? last : last + 1;
  const from = first + 1 < starts.length ? starts[first + 1]! : source.length;
  // The ending of the last line is not part of the value; an empty block has none.
  const to = end > first + 1 ? ends[end - 1]! : from;
  const read = readText(source, lines, { first: first + 1, last: end - 1 }, indent!.length);
  const start = starts[first]! + indent!.length;
  return {
    first,
    last,
    language: language!,
    meta,
    metaStart: starts[first]! + head.length + rest.length - rest.trimStart().length,
    marker: marker!,
    closed,
    opening: placeBetween(lines, start, trimmedEnd(source, start, ends[first]!)),
    place: placeBetween(lines, start, trimmedEnd(source, start, ends[last]!)),
    valuePlace: placeBetween(lines, from, to),
    text: read?.text ?? source.slice(from, to),
    toSource: read?.toSource ?? ((offset) => from + offset),
  };
}

function isClosing(line: string, marker: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return closing !== undefined && closing[0] === marker[0] && closing.length >= marker.length;
}

/** Null when the text is in the source unchanged. */
function readText(
  source: string,
  { starts, ends }: LineIndex,
  { first, last }: Lines,
  indent: number,
): Pick<Fence, 'text' | 'toSource'> | null {
  if (last < first || (indent === 0 && !source.slice(starts[first], ends[last]).includes('\r'))) return null;
  const pieces: string[] = [];
  /** Offset in the text and in the source at which each line begins. */
  const map: [number, number][] = [];
  let length = 0;
  for (let line = first; line <= last; line += 1) {
    let start = starts[line]!;
    for (let left = indent; left > 0 && start < ends[line]! && ' \t'.includes(source[start]!); left -= 1)
      start += 1;
    const piece = source.slice(start, ends[line]);
    map.push([length, start]);
    pieces.push(piece);
    length += piece.length + 1;
  }
  return {
    text: pieces.join('\n'),
    toSource: (offset) => {
      const [begin, start] = map.findLast(([at]) => at <= offset) ?? map[0]!;
      return start + offset - begin;
    },
  };
}

/** The end of a range without white space. */
export function trimmedEnd(source: string, start: number, end: number): number {
  let at = end;
  while (at > start && ' \t\r\n'.includes(source[at - 1]!)) at -= 1;
  return at;
}

/** A step block in shorthand: a fence such as ```` ```sh proof timeout=10m ````, whose text is the command. */
interface Shorthand {
  raw: Record<string, unknown>;
  locator: Locator;
  problems: Problem[];
}

/** Names that people write for an interpreter. */
const ALIASES: Readonly<Record<string, string>> = { python: 'python3' };

/** Languages of scripts that no interpreter here runs under that name. */
const ALMOST: Readonly<Record<string, string>> = {
  shell: 'sh',
  console: 'sh',
  dash: 'sh',
  ash: 'sh',
  ksh: 'sh',
  py: 'python3',
  js: 'node',
  javascript: 'node',
  ts: 'node',
  typescript: 'node',
  rb: 'ruby',
  pl: 'perl',
  powershell: 'pwsh',
  ps1: 'pwsh',
};

const KEYS = ['timeout', 'exit', 'workdir', 'env'];

const MARK = /^proof(?=[ \t]|$)/i;

/** The canonical name of an interpreter; undefined for any other word. */
export function interpreterNamed(word: string): string | undefined {
  const name = ALIASES[word] ?? word;
  return (INTERPRETERS as readonly string[]).includes(name) ? name : undefined;
}

/** Words that people write for the mark of a proof: misspelt, in braces, or as a key. */
const ALMOST_MARK = /^(?:\{[ \t]*\.?proof\b[^}]*\}|(?:proofs|prof|proov|prove|proof[:=,]\S*))(?=[ \t]|$)/i;

/** The beginning of the fence to write instead, when its interpreter or its mark is nearly right. */
export function almostShorthand(language: string, meta: string): string | undefined {
  const word = language.toLowerCase();
  const name = interpreterNamed(word) ?? ALMOST[word];
  if (name === undefined) return undefined;
  if (ALMOST_MARK.test(meta)) return `${name} proof`;
  return MARK.test(meta) ? ALMOST[word] : undefined;
}

/** Whether a fence's info string makes it a step block in shorthand. */
export function isShorthand(language: string | null, meta: string): boolean {
  return language !== null && MARK.test(meta) && interpreterNamed(language.toLowerCase()) !== undefined;
}

/** Reads a fence that `isShorthand`. `place` makes places from offsets in the source. */
export function readShorthand(fence: Fence, place: (start: number, end: number) => Place): Shorthand {
  const shell: Record<string, unknown> = { cmd: fence.text };
  const interpreter = interpreterNamed(fence.language.toLowerCase())!;
  if (interpreter !== 'sh') shell.interpreter = interpreter;
  const problems: Problem[] = [];
  const places = new Map<string, Place>();
  for (const { word, start } of wordsOf(fence.meta)) {
    const at = place(fence.metaStart + start, fence.metaStart + start + word.length);
    const [, key, value] = /^([^=]*)=(.*)$/.exec(word) ?? [];
    if (key === undefined || !KEYS.includes(key)) {
      const name = key ?? word;
      const args = { key: name, path: 'shorthand', suggestion: suggest(name, KEYS), known: KEYS.join(', ') };
      problems.push({ code: 'block-unknown-key', severity: 'error', place: at, args });
      continue;
    }
    const field = FIELDS[key]!;
    const read = field.read(value!);
    if (read === undefined || field.name in shell) {
      const issue = field.name in shell ? 'shorthand-twice' : `shorthand-${key}`;
      const args = { issue, path: key, found: value };
      problems.push({ code: 'block-invalid', severity: 'error', place: at, args });
    } else {
      shell[field.name] = read;
      places.set(field.name, at);
    }
  }
  const find = (path: Path): Place =>
    places.get(String(path[2])) ?? (path.length > 2 ? fence.valuePlace : fence.place);
  return { raw: { proof_of_work: { type: 'shell', shell } }, locator: { value: find, key: find }, problems };
}

/** The words behind `proof`, with where they begin. */
function wordsOf(meta: string): { word: string; start: number }[] {
  return [...meta.matchAll(/[^ \t]+/g)].slice(1).map(({ 0: word, index }) => ({ word, start: index }));
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const FIELDS: Readonly<Record<string, { name: string; read(text: string): unknown }>> = {
  timeout: {
    name: 'timeout_seconds',
    read(text) {
      const [, amount, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
      return amount === undefined ? undefined : Number(amount) * (SECONDS[unit!] ?? 1);
    },
  },
  exit: { name: 'expect_exit_code', read: (text) => (/^\d{1,3}$/.test(text) ? Number(text) : undefined) },
  workdir: { name: 'workdir', read: (text) => (text === '' ? undefined : text) },
  env: {
    name: 'env',
    read: (text) => (/^[A-Za-z_]\w*(?:,[A-Za-z_]\w*)*$/.test(text) ? text.split(',') : undefined),
  },
};

/** A duration in the largest unit that is exact. */
export function timeoutText(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds % SECONDS[each]! === 0) ?? 's';
  return `${seconds / SECONDS[unit]!}${unit}`;
}

/** A fenced code block by its rows; `shell` is the interpreter of its language, null for other languages. */
export interface CodeFence {
  open: number;
  close: number;
  /** Width of what is before the mark in its row. */
  lead: number;
  /** In how many lists, one inside the other, it is. */
  depth: number;
  mark: string;
  language: string;
  /** What follows the language in its row. */
  words: string;
  shell: string | null;
}

const SHELLS: Readonly<Record<string, string>> = {
  sh: 'sh',
  shell: 'sh',
  bash: 'bash',
  console: 'sh',
  zsh: 'zsh',
};

/** The first row of a fenced code block. Pandoc writes its language as a class: `{.bash}`. */
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*(?:\{\.)?([\w+-]*)\}?[ \t]*(.*?)[ \t]*$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?: {1,4}|[ \t]+(?=[`~]{3}))(?=\S)/;

/**
 * The fenced code blocks of some rows, those in items of lists included. One without an end reaches to the last row. `until`: only blocks that
 * begin before this row.
 */
export function fencesOf(rows: readonly string[], until: number = rows.length): CodeFence[] {
  const fences: CodeFence[] = [];
  /** Where the text of each item begins that a row is in. */
  let items: number[] = [];
  for (let open = 0; open < until; open += 1) {
    const row = rows[open]!;
    if (row.trim() === '') continue;
    const indent = row.search(/[^ ]/);
    items = items.filter((column) => column <= indent);
    for (
      let item = ITEM.exec(row.slice(items.at(-1)));
      item !== null;
      item = ITEM.exec(row.slice(items.at(-1)))
    )
      items.push((items.at(-1) ?? 0) + item[0].length);
    const start = items.at(-1) ?? 0;
    const [text, mark, language = '', words = ''] = FENCE.exec(row.slice(start)) ?? [];
    if (text === undefined || mark === undefined) continue;
    const lead = start + text.indexOf(mark);
    const end = new RegExp(`^ {0,${lead + 3}}\\${mark[0]}{${mark.length},}[ \\t]*$`);
    let close = open + 1;
    while (close < rows.length && !end.test(rows[close]!)) close += 1;
    const shell = SHELLS[language.toLowerCase()] ?? null;
    fences.push({ open, close, lead, depth: items.length, mark, language, words, shell });
    open = close;
  }
  return fences;
}
