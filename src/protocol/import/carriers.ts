/** What carries the steps of a procedure. */
export const CARRIERS = ['h2', 'h3', 'h4', 'list', 'tasks', 'rows'] as const;

export type Carrier = (typeof CARRIERS)[number];

export interface Heading {
  depth: number;
  /** Markdown of the heading without its marks. */
  raw: string;
  first: number;
  last: number;
}

/** Sections that describe a procedure and aren't a part of it. */
export const ABOUT_SECTION =
  /^(?:overview|scope|summary|purpose|introduction|background|meaning|impact|description|context|about|references?|see also|links?|related.*|further reading|resources|contacts?|owners?|glossary|faq|history|changelog|table of contents|contents|toc|parameters|inputs?|prerequisites?|requirements|before you begin|when to use.*)$/i;

/** Sections of a reference, which describe a thing and not how something is done. */
const REFERENCE_SECTION =
  /^(?:api\b.*|usage|use|options?|examples?|licen[cs]es?|contribut(?:e|ing|ors?)|features?|types?|syntax|compatib\w*|security|support|credits?|acknowledg\w*|authors?|sponsors?|backers?|motivation|why\b.*|install(?:ation|ing)?|getting started|what is\b.*|benchmarks?|performance|methods?|properties|events|exports|notes?|roadmap|status|docs|documentation|unreleased|v?\d+\.\d+.*|\[.*|`.*)$/i;

/** Whether plain sections are those of a reference: then they aren't steps. */
export function isReference(labels: readonly string[]): boolean {
  return (
    labels.length > 0 && labels.filter((label) => REFERENCE_SECTION.test(label)).length * 2 >= labels.length
  );
}

/** Groups that only announce the steps. */
export const STEPS_GROUP = /^(?:steps|procedure|instructions|workflow|process)$/i;

/** Headings of numbered steps. */
export const NUMBERED =
  /^(?:(?:step|phase|stage|schritt|étape|etape|paso|etapa|passo|fase|шаг|krok)\s*\d+|\d{1,2}[.):](?:\s|$))/iu;

/** A paragraph of nothing else than a numbered name in bold, which some write instead of a heading. */
export const BOLD_STEP = /^ {0,3}\*\*((?:(?:step|phase)[ \t]*)?\d{1,2}[.):][ \t]+[^*]+?)\*\*:?[ \t]*$/i;

/** Sections of a runbook for an alert that list the actions to perform. */
export const ALERT_SECTION = /^(?:diagnosis|mitigation|remediation|resolution|troubleshooting)$/i;

/** A section that rolls the procedure back. */
export const ROLLBACK_SECTION = /^(?:roll[ -]?back|back[ -]?out|revert)(?: plan| steps| procedure)?$/i;

const ITEM = /^( {0,3})((?:\d{1,9}[.)]|[-*+]))(?:[ \t]+(.*))?$/;

export const TASK_MARK = /^\[[ xX~]\][ \t]+/;

export interface ImportBody {
  lines: readonly string[];
  from: number;
  to: number;
  headings: readonly Heading[];
  h1: Heading | null;
  lists: readonly { first: number; last: number }[];
}

/** The evidence in the order of its strength: numbered headings, a table of steps, ordered lists, plain sections. */
export function chooseCarrier({ lines, from, to, headings, lists }: ImportBody): Carrier | null {
  const at = (depth: number) =>
    headings.filter((heading) => heading.depth === depth && !ABOUT_SECTION.test(heading.raw));
  for (const depth of [4, 3, 2] as const) {
    if (at(depth).filter(({ raw }) => NUMBERED.test(raw)).length >= 2) return `h${depth}`;
  }
  if (tableOf(lines, from, to) !== null) return 'rows';
  const sections = [...at(2), ...at(3)].map(({ raw }) => raw);
  const isPlain = !isReference(
    sections.length === 0 ? [] : at(2).length >= 2 ? at(2).map(({ raw }) => raw) : sections,
  );
  const items = lists.flatMap(({ first, last }) => itemsOf(lines, first, last));
  const ordered = items.filter(({ isOrdered }) => isOrdered).length;
  const tasks = items.filter(({ text }) => TASK_MARK.test(text)).length;
  if (tasks >= 3) return at(2).length >= 2 ? 'h2' : at(3).length >= 2 ? 'h3' : 'tasks';
  if (!isPlain) return null;
  if (ordered >= 3 && ordered >= at(2).length) return 'list';
  if (at(3).length >= 3 && at(3).length > 2 * at(2).length) return 'h3';
  if (at(2).length >= 2) return 'h2';
  if (at(3).length >= 2) return 'h3';
  return ordered >= 2 ? 'list' : items.length >= 3 ? 'tasks' : null;
}

interface Item {
  line: number;
  isOrdered: boolean;
  text: string;
  rows: string[];
}

/** The items of a list, each with its lines dedented. */
export function itemsOf(lines: readonly string[], first: number, last: number): Item[] {
  const items: Item[] = [];
  let margin = -1;
  let width = 0;
  for (let line = first; line <= last; line += 1) {
    const row = lines[line]!;
    const match = ITEM.exec(row);
    if (match !== null && (margin === -1 || match[1]!.length <= margin)) {
      margin = match[1]!.length;
      width = row.length - (match[3] ?? '').length;
      items.push({ line, isOrdered: /\d/.test(match[2]!), text: match[3] ?? '', rows: [match[3] ?? ''] });
    } else items.at(-1)?.rows.push(dedent(row, width));
  }
  return items;
}

function dedent(row: string, width: number): string {
  const indent = /^[ \t]*/.exec(row)![0].replace(/\t/g, '    ').length;
  return indent >= width ? row.replace(/\t/g, '    ').slice(width) : row.trimStart();
}

/** A fenced code block by its rows; `shell` is the interpreter of its language, null for other languages. */
export interface CodeFence {
  open: number;
  close: number;
  mark: string;
  shell: string | null;
}

const SHELLS: Readonly<Record<string, string>> = {
  sh: 'sh',
  shell: 'sh',
  bash: 'bash',
  console: 'sh',
  zsh: 'zsh',
};

/** The fenced code blocks of some rows. One without an end reaches to the last row. */
export function fencesOf(rows: readonly string[]): CodeFence[] {
  const fences: CodeFence[] = [];
  for (let open = 0; open < rows.length; open += 1) {
    const match = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+-]*)/.exec(rows[open]!);
    if (match === null) continue;
    const [, mark = '', language = ''] = match;
    const end = new RegExp(`^ {0,3}\\${mark[0]}{${mark.length},}[ \\t]*$`);
    let close = open + 1;
    while (close < rows.length && !end.test(rows[close]!)) close += 1;
    fences.push({ open, close, mark, shell: SHELLS[language.toLowerCase()] ?? null });
    open = close;
  }
  return fences;
}

/** Rewrites the rows outside of code blocks, in place. */
export function rewriteText(rows: string[], rewrite: (row: string) => string): void {
  const fences = fencesOf(rows);
  for (const [at, row] of rows.entries())
    if (!fences.some(({ open, close }) => open <= at && at <= close)) rows[at] = rewrite(row);
}

interface Table {
  header: string[];
  first: number;
  rows: { line: number; cells: string[] }[];
}

export function tableOf(lines: readonly string[], from: number, to: number): Table | null {
  for (let line = from; line + 1 < to; line += 1) {
    if (!/^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)+$/.test(lines[line + 1]!) || !lines[line]!.includes('|'))
      continue;
    const header = cellsIn(lines[line]!);
    if (!header.some((cell) => /^(?:step|action|task|what to do)s?$/i.test(cell.replace(/[*_]/g, ''))))
      continue;
    const rows: Table['rows'] = [];
    for (let at = line + 2; at < to && lines[at]!.includes('|'); at += 1)
      rows.push({ line: at, cells: cellsIn(lines[at]!) });
    if (rows.length >= 2) return { header, first: line, rows };
  }
  return null;
}

function cellsIn(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
