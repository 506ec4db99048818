import { KairosError } from '../../base/errors.ts';
import { inlineSource } from '../outline.ts';

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

export interface Step {
  label: string;
  line: number;
  body: string[];
}

/** Sections that describe a procedure and aren't a part of it. */
const ABOUT =
  /^(?:overview|scope|summary|purpose|introduction|background|meaning|impact|description|context|about|references?|see also|links?|related.*|further reading|resources|contacts?|owners?|glossary|faq|history|changelog|table of contents|contents|toc|parameters|inputs?|prerequisites?|requirements|before you begin|when to use.*)$/i;
/** Groups that only announce the steps. */
const STEPS = /^(?:steps|procedure|instructions|workflow|process)$/i;
/** Headings of numbered steps. */
const NUMBERED =
  /^(?:(?:step|phase|stage|schritt|étape|etape|paso|etapa|passo|fase|шаг|krok)\s*\d+|\d{1,2}[.):](?:\s|$))/iu;
const ITEM = /^( {0,3})((?:\d{1,9}[.)]|[-*+]))(?:[ \t]+(.*))?$/;
const TASK = /^\[[ xX]\][ \t]+/;

export interface Body {
  lines: readonly string[];
  from: number;
  to: number;
  headings: readonly Heading[];
  h1: Heading | null;
  lists: readonly { first: number; last: number }[];
}

/** The evidence in the order of its strength: numbered headings, a table of steps, ordered lists, plain sections. */
export function chooseCarrier({ lines, from, to, headings, lists }: Body): Carrier | null {
  const at = (depth: number) =>
    headings.filter((heading) => heading.depth === depth && !ABOUT.test(heading.raw));
  for (const depth of [4, 3, 2] as const) {
    if (at(depth).filter(({ raw }) => NUMBERED.test(raw)).length >= 2) return `h${depth}`;
  }
  if (tableOf(lines, from, to) !== null) return 'rows';
  const items = lists.flatMap(({ first, last }) => itemsOf(lines, first, last));
  const ordered = items.filter(({ isOrdered }) => isOrdered).length;
  const tasks = items.filter(({ text }) => TASK.test(text)).length;
  if (tasks >= 3) return at(2).length >= 2 ? 'h2' : at(3).length >= 2 ? 'h3' : 'tasks';
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
function itemsOf(lines: readonly string[], first: number, last: number): Item[] {
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

export interface ImportedSteps {
  preface: string[];
  steps: Step[];
}

/** Headings of one depth are the steps; those above it name groups, and sections about the procedure describe it. */
function byHeadings({ lines, from, to, headings, h1 }: Body, depth: number): ImportedSteps {
  const taken: ImportedSteps = { preface: [], steps: [] };
  let group: Heading | null = null;
  let intro: string[] = [];
  let isUsed = false;
  let target = taken.preface;
  let about = 7;
  const heads = new Map(headings.map((heading) => [heading.first, heading]));
  const flush = () => {
    if (group !== null && trimBlank(intro).length > 0)
      taken.steps.push({ label: group.raw, line: group.first + 1, body: intro });
    else if (group !== null && !isUsed)
      (taken.steps.at(-1)?.body ?? taken.preface).push('', `### ${group.raw}`, '');
    isUsed = false;
    intro = [];
    group = null;
  };
  for (let line = from; line < to; line += 1) {
    if (h1 !== null && line >= h1.first && line <= h1.last) continue;
    const heading = heads.get(line);
    if (heading === undefined) {
      target.push(lines[line]!);
      continue;
    }
    line = heading.last;
    if (heading.depth <= about) about = 7;
    if (about < 7 || heading.depth > depth)
      target.push(`${'#'.repeat(Math.max(3, heading.depth))} ${heading.raw}`);
    else if (ABOUT.test(heading.raw) && heading.depth >= 2) {
      flush();
      about = heading.depth;
      target = taken.steps.length === 0 ? taken.preface : taken.steps.at(-1)!.body;
      target.push('', `### ${heading.raw}`);
    } else if (heading.depth < depth) {
      flush();
      group = heading;
      target = intro;
    } else {
      const label: string =
        group === null || STEPS.test((group as Heading).raw)
          ? heading.raw
          : `${(group as Heading).raw}: ${heading.raw}`;
      isUsed = true;
      const step: Step = { label, line: heading.first + 1, body: [] };
      if (trimBlank(intro).length > 0) step.body.push(...trimBlank(intro), '');
      intro = [];
      taken.steps.push(step);
      target = step.body;
    }
  }
  flush();
  return taken;
}

/** Items of lists are the steps; a section without such a list is a step of its own. */
function byItems({ lines, from, to, headings, h1, lists }: Body, anyList: boolean): ImportedSteps {
  const taken: ImportedSteps = { preface: [], steps: [] };
  const heads = new Map(headings.map((heading) => [heading.first, heading]));
  const starts = new Map(lists.map((list) => [list.first, list]));
  let pending: { heading: Heading; rows: string[] } | null = null;
  let target = taken.preface;
  const flush = () => {
    if (pending === null) return;
    const { heading, rows } = pending;
    if (ABOUT.test(heading.raw))
      (taken.steps.at(-1)?.body ?? taken.preface).push('', `### ${heading.raw}`, ...rows);
    else taken.steps.push({ label: heading.raw, line: heading.first + 1, body: rows });
    pending = null;
  };
  for (let line = from; line < to; line += 1) {
    if (h1 !== null && line >= h1.first && line <= h1.last) continue;
    const heading = heads.get(line);
    const list = starts.get(line);
    if (heading !== undefined) {
      flush();
      pending = { heading, rows: [] };
      target = pending.rows;
      line = heading.last;
      continue;
    }
    const items = list === undefined ? [] : itemsOf(lines, list.first, list.last);
    const isAbout: boolean = pending !== null && ABOUT.test((pending as { heading: Heading }).heading.raw);
    if (list === undefined || isAbout || !(anyList || items[0]?.isOrdered)) {
      target.push(lines[line]!);
      continue;
    }
    for (const [at, item] of items.entries()) {
      const rows = [...item.rows];
      rows[0] = rows[0]!.replace(TASK, '');
      const step: Step = { label: labelOf(rows[0]!), line: item.line + 1, body: [] };
      if (at === 0 && pending !== null) {
        const { heading: section, rows: before } = pending as { heading: Heading; rows: string[] };
        step.body.push(`### ${section.raw}`, '', ...trimBlank(before), '');
        pending = null;
      }
      step.body.push(...rows);
      taken.steps.push(step);
      target = step.body;
    }
    target.push('');
    line = list.last;
  }
  flush();
  return taken;
}

/** The first sentence of an item, short enough for a heading. */
function labelOf(text: string): string {
  const plain = text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`~<>[\]\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const [sentence = plain] = /^.{3,80}?(?=[.:;!?](?:\s|$))/.exec(plain) ?? [];
  const short = sentence.length <= 80 ? sentence : `${sentence.slice(0, 77).replace(/\s+\S*$/, '')}…`;
  return inlineSource(short || 'Step');
}

interface Table {
  header: string[];
  first: number;
  rows: { line: number; cells: string[] }[];
}

function tableOf(lines: readonly string[], from: number, to: number): Table | null {
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

function byRows({ lines, from, to, h1 }: Body): ImportedSteps {
  const table = tableOf(lines, from, to);
  if (table === null) throw noProcedure('it has no table with a column Step or Action');
  const main = Math.max(
    table.header.findIndex((cell) => /action|task|what to do/i.test(cell)),
    table.header.findIndex((cell) => /^steps?$/i.test(cell)) === -1 ? 0 : -1,
  );
  const column = main === -1 ? table.header.findIndex((cell) => /step/i.test(cell)) : main;
  const last = table.rows.at(-1)!.line;
  const keep = (line: number) => !(h1 !== null && line >= h1.first && line <= h1.last);
  const rest = (a: number, b: number) =>
    lines
      .slice(a, b)
      .flatMap((row, at) => (keep(a + at) ? [row.replace(/^ {0,3}#{1,2}(?=[ \t])/, '###')] : []));
  const steps = table.rows.map(({ line, cells }) => ({
    label: labelOf(cells[column] ?? ''),
    line: line + 1,
    body: table.header.flatMap((name, at) => (cells[at] ? [`**${name}**: ${cells[at]}`, ''] : [])),
  }));
  steps.at(-1)!.body.push(...rest(last + 1, to));
  return { preface: rest(from, table.first), steps };
}

/** The steps of a document and what comes before them. Throws PROTOCOL_INVALID if it has none of the kind. */
export function importSteps(body: Body, carrier: Carrier): ImportedSteps {
  const taken =
    carrier === 'rows'
      ? byRows(body)
      : carrier.startsWith('h')
        ? byHeadings(body, Number(carrier[1]))
        : byItems(body, carrier === 'tasks');
  if (taken.steps.length === 0) throw noProcedure(`it has no steps of the kind ${carrier}`);
  return taken;
}

export function noProcedure(reason: string): KairosError {
  return new KairosError('PROTOCOL_INVALID', `no procedure found: ${reason}`, {
    hint: 'Choose what carries the steps with --steps, or a part of the document with --section TITLE.',
  });
}

/** The rows without blank ones at both ends. */
export function trimBlank(rows: readonly string[]): string[] {
  let start = 0;
  let end = rows.length;
  while (start < end && rows[start]!.trim() === '') start += 1;
  while (end > start && rows[end - 1]!.trim() === '') end -= 1;
  return rows.slice(start, end);
}
