import { firstAfter } from '../position.ts';
import { ABOUT_ROLES, hasRole, rolesOf, STEP_WORD } from './sections.ts';

/** What carries the steps of a procedure. */
export const CARRIERS = ['h2', 'h3', 'h4', 'list', 'tasks', 'rows'] as const;

export type Carrier = (typeof CARRIERS)[number];

export interface Heading {
  depth: number;
  /** Markdown of the heading without its marks. */
  raw: string;
  first: number;
  last: number;
  /** Text on its row that isn't a part of it. */
  text?: string | undefined;
}

/** Whether a section describes the procedure. In an alert's runbook, trouble is what the steps are about. */
export function isAbout(title: string, isAlert: boolean): boolean {
  const roles = rolesOf(title);
  return [...roles].some((role) => ABOUT_ROLES.has(role)) || (!isAlert && roles.has('trouble'));
}

/** Whether plain sections are those of a reference or a record: then they aren't steps. */
export function isReference(titles: readonly string[]): boolean {
  const found = titles.filter(
    (title) => hasRole(title, 'reference', 'record') || /^(?:v?\d+\.\d+|\[|`)/.test(title),
  );
  return titles.length > 0 && found.length * 2 >= titles.length;
}

/** Headings of numbered steps. Pictures may be before the number, and a keycap or circle around it. */
export const NUMBERED = new RegExp(
  String.raw`^[\p{Extended_Pictographic}\u{FE0F}\u{200D}\s]*(?:\d\u{FE0F}?\u{20E3}|[🔟①-⑳]|(?:${STEP_WORD})\s*(?:\d+|[一二三四五六七八九十]+)|\d{1,2}[.):、．）：](?:\s|$|[^\s\d\p{Script=Latin}]))`,
  'iu',
);

const STEP_MARK = new RegExp(
  String.raw`^[*_]*(?:(?:${STEP_WORD})\s*(?:\d+|[一二三四五六七八九十]+|\p{L}{2,9}(?=[:：]))[步章節节]?|\d+(?:\.\d+)*(?=[.)](?!\d)))[*_]*\s*(?:[:：.．)、–—-][*_]*\s*|$)`,
  'iu',
);

/** A text without the number of its step: "Step 1: Open it". */
export function withoutStepMark(text: string): string {
  const rest = text.replace(STEP_MARK, '');
  return rest === '' && /\p{L}/u.test(text) ? text : rest;
}

const SERIES = /^(\p{L}{2,20}) ?(\d{1,3})(?=$|[\s:.–—-])/u;
const NO_SERIES = /^(?:opti?on|variante?|alternative?|vers|tier|level|table|figure|abb)/i;

/** The titles that are one of several with the same word before a number, such as "Check 2", where one has the number 1. */
function seriesIn(headings: readonly Heading[]): ReadonlySet<string> {
  const series = new Map<string, { titles: string[]; numbers: Set<number> }>();
  for (const { raw } of headings) {
    const [, word, number] = SERIES.exec(raw) ?? [];
    if (word === undefined || NO_SERIES.test(word)) continue;
    const key = word.toLowerCase();
    const { titles, numbers } = series.get(key) ?? { titles: [], numbers: new Set() };
    titles.push(raw);
    series.set(key, { titles, numbers: numbers.add(Number(number)) });
  }
  const isSeries = (numbers: Set<number>) => numbers.has(1) && numbers.size >= 2;
  return new Set([...series.values()].flatMap(({ titles, numbers }) => (isSeries(numbers) ? titles : [])));
}

const STEP_NUMBER = String.raw`(?:${STEP_WORD})[ \t]*(?:\d{1,2}|[一二三四五六七八九十]+)[步章節节]?`;

/** A row that begins with a numbered name in bold, which some write instead of a heading, and the text after it. */
export const BOLD_STEP = new RegExp(
  String.raw`^ {0,3}(?:\*\*|__)((?:${STEP_NUMBER}(?:[ \t]*[.):：–—-]+(?:[ \t]+[^*\s][^*]*?)?)?|\d{1,2}[.):][ \t]+[^*\s][^*]*?))(?:\*\*|__)(?:[ \t]*[:：–—-](?=[ \t]|$))?[ \t]*(.*)$`,
  'iu',
);

/** A row that begins with the number of a step, and its text. */
export const PLAIN_STEP = new RegExp(
  String.raw`^ {0,3}(${STEP_NUMBER}|(?:${STEP_WORD})[ \t]+(?:one|two|three|four|five|six|seven|eight|nine|ten|eins|zwei|drei|vier|fünf|une?|deux|trois|quatre|cinq|uno|dos|tres|cuatro|cinco|um|dois|três|due|tre|quattro|een|twee|drie))[ \t]*(?:[:：][ \t]*|[.)][ \t]+|[ \t][–—-][ \t]+)(\S.*)$`,
  'iu',
);

/** A row that begins with a number in two parts, which markdown doesn't read as a list. */
export const PART_ROW = /^ {0,3}(\d{1,2}\.\d{1,2})[.)]?[ \t]+\S/;

const ITEM = /^( {0,3})((?:\d{1,9}[.)]|[-*+☐☑☒]|\d{1,2}\.\d{1,2}[.)]?(?=[ \t])))(?:[ \t]+(.*))?$/u;

/** A line that begins with a box, which some write instead of a list of tasks. */
export const BOX_ROW = /^ {0,3}[☐☑☒][ \t]/u;

export const TASK_MARK = /^(?:\[[ xX~]\]|[☐☑☒])[ \t]+/u;

export interface ImportBody {
  lines: readonly string[];
  from: number;
  to: number;
  headings: readonly Heading[];
  h1: Heading | null;
  lists: readonly { first: number; last: number }[];
  isAlert: boolean;
}

/** What carries the steps, and the evidence for it with its line (from 0). */
interface CarrierChoice {
  carrier: Carrier;
  reason: string;
  line: number;
}

/**
 * The evidence in the order of its strength: numbered headings, what a section called Steps contains, a table of steps, ordered
 * lists, plain sections. Null without any.
 */
export function chooseCarrier(body: ImportBody): CarrierChoice | null {
  const { lines, from, to, headings, lists, isAlert } = body;
  const at = (depth: number) =>
    headings.filter((heading) => heading.depth === depth && !isAbout(heading.raw, isAlert));
  for (const depth of [4, 3, 2] as const) {
    const series = seriesIn(at(depth));
    const numbered = at(depth).filter(({ raw }) => NUMBERED.test(raw) || series.has(raw));
    // Where sections are numbered, the one called Steps contains them.
    if (numbered.length < 2 || numbered.some(({ raw }) => hasRole(raw, 'steps'))) continue;
    const reason = `${numbered.length} headings are numbered`;
    return { carrier: `h${depth}`, reason, line: numbered[0]!.first };
  }
  const announced = announcedCarrier(body);
  if (announced !== null) return announced;
  const table = tableOf(lines, from, to);
  if (table !== null)
    return { carrier: 'rows', reason: 'a table has a column for steps or actions', line: table.first };
  const sections = at(2).length >= 2 ? at(2) : [...at(2), ...at(3)];
  const isPlain = !isReference(sections.map(({ raw }) => raw));
  const describes = ({ first }: { first: number }) => {
    const above = headings[firstAfter(headings, first) - 1];
    return above !== undefined && isAbout(above.raw, isAlert);
  };
  const items = lists.flatMap((list) => (describes(list) ? [] : itemsOf(lines, list.first, list.last)));
  const ordered = items.filter(({ isOrdered }) => isOrdered);
  const tasks = items.filter(({ isTask }) => isTask);
  const byList = (carrier: Carrier, found: readonly Item[], name: string): CarrierChoice => ({
    carrier,
    reason: `${found.length} items are ${name}`,
    line: found[0]!.line,
  });
  const bySections = (depth: 2 | 3 | 4): CarrierChoice => ({
    carrier: `h${depth}`,
    reason: `${at(depth).length} headings of depth ${depth} are steps`,
    line: at(depth)[0]!.first,
  });
  if (tasks.length >= 3)
    return at(2).length >= 2
      ? bySections(2)
      : at(3).length >= 2
        ? bySections(3)
        : byList('tasks', tasks, 'tasks');
  if (!isPlain) return null;
  if (ordered.length >= 3 && ordered.length >= at(2).length) return byList('list', ordered, 'numbered');
  // Headings without text between them only group those below them.
  for (const depth of [4, 3] as const)
    if (
      at(depth).length >= 3 &&
      at(depth - 1).length > 0 &&
      at(depth - 1).every((heading) => isBare(body, heading))
    )
      return bySections(depth);
  if (at(3).length >= 3 && at(3).length > 2 * at(2).length) return bySections(3);
  if (at(2).length >= 2) return bySections(2);
  if (at(3).length >= 2) return bySections(3);
  if (ordered.length >= 2) return byList('list', ordered, 'numbered');
  if (tasks.length >= 2) return byList('tasks', tasks, 'tasks');
  return items.length >= 3 ? byList('tasks', items, 'in a list') : null;
}

/** Whether another heading, deeper than it, follows a heading without text between them. */
function isBare({ lines, headings }: ImportBody, heading: Heading): boolean {
  const next = headings[firstAfter(headings, heading.first)];
  return (
    next !== undefined &&
    next.depth > heading.depth &&
    lines.slice(heading.last + 1, next.first).every((row) => row.trim() === '')
  );
}

/** What carries the steps in a section that announces them: headings below it, a numbered list, or tasks. */
function announcedCarrier({ lines, to, headings, lists }: ImportBody): CarrierChoice | null {
  for (const [at, section] of headings.entries()) {
    if (!hasRole(section.raw, 'steps')) continue;
    const after = headings.slice(at + 1);
    const end = after.find(({ depth }) => depth <= section.depth)?.first ?? to;
    const below = after.filter(({ depth, first }) => depth === section.depth + 1 && first < end);
    const reason = `the section ${section.raw} announces them`;
    const line = section.first;
    if (section.depth < 4 && (below.length >= 2 || below.some(({ raw }) => NUMBERED.test(raw))))
      return { carrier: `h${section.depth + 1}` as Carrier, reason, line };
    const items = lists
      .filter(({ first }) => first > section.first && first < end)
      .flatMap(({ first, last }) => itemsOf(lines, first, last));
    if (items.some(({ isOrdered }) => isOrdered)) return { carrier: 'list', reason, line };
    if (items.some(({ isTask }) => isTask)) return { carrier: 'tasks', reason, line };
  }
  return null;
}

interface Item {
  line: number;
  isOrdered: boolean;
  isTask: boolean;
  text: string;
  rows: string[];
}

/** The items of a list, each with its lines dedented. */
export function itemsOf(lines: readonly string[], first: number, last: number): Item[] {
  const items: Item[] = [];
  let margin = -1;
  let width = 0;
  for (let line = first; line <= last; line += 1) {
    const row = withoutTabs(lines[line]!);
    const match = ITEM.exec(row);
    if (match !== null && (margin === -1 || match[1]!.length <= margin)) {
      const [, before = '', mark = '', own = ''] = match;
      const text = /\.\d/.test(mark) ? `${mark} ${own}` : own;
      margin = before.length;
      width = row.length - text.length;
      const isTask = TASK_MARK.test(text) || BOX_ROW.test(row);
      items.push({ line, isOrdered: /\d/.test(mark), isTask, text, rows: [text] });
    } else items.at(-1)?.rows.push(/^ */.exec(row)![0].length >= width ? row.slice(width) : row.trimStart());
  }
  return items;
}

/** The row with spaces up to the next multiple of four for each tab before its text, that after the mark of an item included. */
function withoutTabs(row: string): string {
  const [lead] = /^[ \t]*(?:(?:\d{1,9}[.)]|[-*+])[ \t]+)?/.exec(row)!;
  if (!lead.includes('\t')) return row;
  let plain = '';
  for (const char of lead) plain += char === '\t' ? ' '.repeat(4 - (plain.length % 4)) : char;
  return plain + row.slice(lead.length);
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
    if (
      !header.some((cell) => hasRole(cell, 'action', 'step')) ||
      header.some((cell) => hasRole(cell, 'meaning', 'lookup'))
    )
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
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
