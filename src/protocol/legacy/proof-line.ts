/** A line in the spelling from before there were step blocks: `PROOF OF WORK: npm test`. */
export interface ProofLine {
  /** The text after the colon, without emphasis around it. */
  command: string;
  /** Offset of the command in the text. */
  start: number;
}

const LEAD =
  /^(\*{1,3}|_{1,3})?proof[ \t-]+of[ \t-]+work(\*{1,3}|_{1,3})?[ \t]*[:\uff1a](\*{1,3}|_{1,3})?[ \t]*/i;

/** Reads a line of text (no list marker, no white space around it) as a proof line; null for any other. */
export function matchProofLine(text: string): ProofLine | null {
  const lead = LEAD.exec(text);
  if (lead === null) return null;
  const [all, opened, closedBefore, closedAfter] = lead;
  let command = text.slice(all.length);
  // `**PROOF OF WORK: npm test**`: the emphasis spans the whole line.
  if (opened !== undefined && closedBefore !== opened && closedAfter !== opened && command.endsWith(opened)) {
    command = command.slice(0, -opened.length).trimEnd();
  }
  return { command, start: all.length };
}

/** Why a proof line cannot be used, as a word that `describeProblem` knows. */
type ProofLineFault = 'line-empty' | 'line-comment' | 'line-tool' | 'line-arguments';

type ProofLineReading =
  | { demand: Record<string, unknown>; ignored: string | undefined; isDoubtful: boolean }
  | { fault: ProofLineFault };

/**
 * The step block that the command of a proof line stands for, defaults not filled in. `ignored` is prose after a command
 * in backticks, which stays in the step's text; `isDoubtful` a command that has backticks somewhere inside, or another
 * proof line or a fence behind it, and so may be a sentence.
 */
export function readProofLine(command: string): ProofLineReading {
  const span = leadingCode(command);
  const text = span?.code ?? command;
  if (text === '') return { fault: 'line-empty' };
  const demand = readDemand(text);
  if (typeof demand === 'string') return { fault: demand };
  const ignored = span === null || span.rest === '' ? undefined : span.rest;
  const isDoubtful = span === null ? text.includes('`') : /^proof[\s_-]+of|`{3}|~{3}/i.test(span.rest);
  return { demand: { proof_of_work: demand }, ignored, isDoubtful };
}

/** Words after a command as a separate paragraph: text that would begin something else there is escaped. */
export function wordsAsText(words: string): string {
  return /^[#>+*=~|<`_{[-]/.test(words) ? `\\${words}` : words;
}

function readDemand(text: string): Record<string, unknown> | ProofLineFault {
  const [, keyword, rest = ''] = /^(mcp|user_input|comment)(?:[ \t]+(.*))?$/i.exec(text) ?? [];
  switch (keyword?.toLowerCase()) {
    case 'mcp':
      return readTool(rest.trim());
    case 'user_input':
      return { type: 'user_input', user_input: { prompt: unquoted(rest.trim()) } };
    case 'comment':
      return readComment(rest.trim());
    default:
      return { type: 'shell', shell: readShell(text) };
  }
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `timeout 30s npm test`, as the command of that name has it; seconds when there is no unit. */
function readShell(text: string): Record<string, unknown> {
  const [, amount, unit, cmd] = /^timeout[ \t]+(\d{1,9})([smhd])?[ \t]+(\S.*)$/.exec(text) ?? [];
  if (cmd === undefined) return { cmd: text };
  return { cmd, timeout_seconds: Number(amount) * SECONDS[unit ?? 's']! };
}

function readTool(text: string): Record<string, unknown> | ProofLineFault {
  const [, name, rest] = /^([^\s=]+)(?:[ \t]+(.*))?$/.exec(text) ?? [];
  if (name === undefined) return 'line-tool';
  if (rest === undefined) return { type: 'mcp', mcp: { tool_name: name } };
  const args = parseToolArguments(rest.trim());
  if (args === null) return 'line-arguments';
  return { type: 'mcp', mcp: { tool_name: name, arguments: args } };
}

function readComment(text: string): Record<string, unknown> | ProofLineFault {
  if (text === '') return { type: 'comment', comment: {} };
  const length = /^min_length[ \t]*[=:][ \t]*(\d{1,9})$/i.exec(text)?.[1];
  return length === undefined ? 'line-comment' : { type: 'comment', comment: { min_length: Number(length) } };
}

function unquoted(text: string): string {
  return (
    /^(?:"(.*)"|'(.*)'|“(.*)”)$/
      .exec(text)
      ?.slice(1)
      .find((inner) => inner !== undefined) ?? text
  );
}

/** A code span (CommonMark 6.1) at the beginning, and what follows it. */
function leadingCode(text: string): { code: string; rest: string } | null {
  const ticks = /^`+/.exec(text)?.[0];
  if (ticks === undefined) return null;
  for (const run of text.slice(ticks.length).matchAll(/`+/g)) {
    if (run[0].length !== ticks.length) continue;
    const code = text.slice(ticks.length, ticks.length + run.index).trim();
    return { code, rest: text.slice(ticks.length + run.index + ticks.length).trim() };
  }
  return null;
}

/**
 * Reads `a=b n=1 q="two words" o={"k": [1]}` as the arguments of a tool: JSON where a value is JSON, else
 * text. Null when a part isn't `key=value`, a key is a duplicate, or a value in quotes or brackets doesn't
 * end.
 */
function parseToolArguments(text: string): Record<string, unknown> | null {
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
