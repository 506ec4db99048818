import { KairosError } from '../../base/errors.ts';
import {
  type Carrier,
  type Heading,
  type ImportBody,
  isAbout,
  itemsOf,
  TASK_MARK,
  tableOf,
  withoutStepMark,
} from './carriers.ts';
import { labelOf } from './parameters.ts';
import { hasRole, rolesOf } from './sections.ts';

export interface Step {
  label: string;
  line: number;
  body: string[];
  /** The headings above the step that aren't its own. */
  sections?: readonly string[];
  /** Whether the label was made of text, with the escapes of the import. */
  isMade?: true;
  /** Why something else than what carries the steps is one. */
  why?: string;
}

export interface ImportedSteps {
  preface: string[];
  steps: Step[];
  /** The steps that roll the procedure back. */
  rollback: Step[];
  /** Sections that became a part of something else. */
  about: { heading: Heading; where: 'the description' | 'the step before it' }[];
}

/** Whether a section describes the procedure: by its name, and rules do next to a section that announces the steps. */
function describer({ headings, isAlert }: ImportBody): (raw: string) => boolean {
  const isAnnounced = headings.some(({ raw }) => hasRole(raw, 'steps'));
  return (raw) => isAbout(raw, isAlert) || (isAnnounced && hasRole(raw, 'conduct'));
}

const isRollback = ({ label, sections = [] }: Step) =>
  [label, ...sections].some((title) => hasRole(title, 'rollback'));

/** The rows for a section that describes the procedure: not those of a rollback, which a normal run doesn't show. Rules are about all steps. */
function rowsFor(heading: Heading, { preface, steps, about }: ImportedSteps): string[] {
  const before = steps.at(-1);
  const isDescription =
    before === undefined ||
    hasRole(heading.raw, 'conduct') ||
    (isRollback(before) && !steps.every(isRollback));
  about.push({ heading, where: isDescription ? 'the description' : 'the step before it' });
  return isDescription ? preface : before.body;
}

/** Headings of one depth are the steps; those above it name groups, and sections about the procedure describe it. */
function byHeadings(body: ImportBody, depth: number): ImportedSteps {
  const { lines, from, to, headings, h1 } = body;
  const describes = describer(body);
  const taken: ImportedSteps = { preface: [], steps: [], rollback: [], about: [] };
  /** The headings above a line that group steps, the highest first. */
  let groups: { heading: Heading; isUsed: boolean }[] = [];
  let intro: string[] = [];
  let target = taken.preface;
  let about = 7;
  const heads = new Map(headings.map((heading) => [heading.first, heading]));
  const names = () => groups.map(({ heading }) => heading.raw).filter((name) => !hasRole(name, 'steps'));
  const useGroups = () => {
    for (const group of groups) group.isUsed = true;
    intro = [];
  };
  /** Text below the headings of groups that no step has yet. */
  const settle = () => {
    const { heading } = groups.at(-1) ?? {};
    if (heading === undefined || trimBlank(intro).length === 0) return;
    const label = names().join(': ') || heading.raw;
    const why = 'it is a section without headings of steps';
    taken.steps.push({ label, line: heading.first + 1, body: intro, why });
    useGroups();
  };
  /** Ends the groups of a depth and those below. The name of one without steps stays as text. */
  const end = (top: number) => {
    const open = groups.filter(({ heading }) => heading.depth < top);
    if (open.length < groups.length) settle();
    for (const { heading, isUsed } of groups.slice(open.length))
      if (!isUsed) (taken.steps.at(-1)?.body ?? taken.preface).push('', `### ${heading.raw}`, '');
    groups = open;
  };
  for (let line = from; line < to; line += 1) {
    if (h1 !== null && line >= h1.first && line <= h1.last) {
      if (h1.text) target.push(h1.text);
      continue;
    }
    const heading = heads.get(line);
    if (heading === undefined) {
      target.push(lines[line]!);
      continue;
    }
    line = heading.last;
    if (heading.depth <= about) about = 7;
    if (about < 7 || heading.depth > depth)
      target.push(`${'#'.repeat(Math.max(3, heading.depth))} ${heading.raw}`);
    else if (describes(heading.raw) && heading.depth >= 2) {
      settle();
      end(heading.depth);
      about = heading.depth;
      target = rowsFor(heading, taken);
      target.push('', `### ${heading.raw}`);
    } else if (heading.depth < depth) {
      end(heading.depth);
      groups.push({ heading, isUsed: false });
      target = intro;
    } else {
      const label = [...names(), heading.raw].join(': ');
      const sections = groups.map((group) => group.heading.raw);
      const step: Step = { label, line: heading.first + 1, body: [], sections };
      if (trimBlank(intro).length > 0) step.body = [...trimBlank(intro), ''];
      useGroups();
      taken.steps.push(step);
      target = step.body;
    }
    if (heading.text) target.push('', heading.text);
  }
  end(0);
  return taken;
}

/** Items of lists are the steps; a section without such a list is a separate step. */
function byItems(body: ImportBody, anyList: boolean): ImportedSteps {
  const { lines, from, to, headings, h1, lists } = body;
  const describes = describer(body);
  const taken: ImportedSteps = { preface: [], steps: [], rollback: [], about: [] };
  const heads = new Map(headings.map((heading) => [heading.first, heading]));
  const starts = new Map(lists.map((list) => [list.first, list]));
  let pending: { heading: Heading; rows: string[] } | null = null;
  let target = taken.preface;
  let sections: string[] = [];
  const flush = () => {
    if (pending === null) return;
    const { heading, rows } = pending;
    if (describes(heading.raw)) rowsFor(heading, taken).push('', `### ${heading.raw}`, ...rows);
    else if (!hasRole(heading.raw, 'steps') || trimBlank(rows).length > 0)
      taken.steps.push({
        label: heading.raw,
        line: heading.first + 1,
        body: rows,
        why: `it is a section without a list of steps${taken.steps.length === 0 ? ', before them' : ''}`,
      });
    pending = null;
  };
  for (let line = from; line < to; line += 1) {
    if (h1 !== null && line >= h1.first && line <= h1.last) {
      if (h1.text) target.push(h1.text);
      continue;
    }
    const heading = heads.get(line);
    const list = starts.get(line);
    if (heading !== undefined) {
      flush();
      pending = { heading, rows: heading.text ? ['', heading.text] : [] };
      sections = [heading.raw];
      target = pending.rows;
      line = heading.last;
      continue;
    }
    const items = list === undefined ? [] : itemsOf(lines, list.first, list.last);
    const isDescribed: boolean = pending !== null && describes((pending as { heading: Heading }).heading.raw);
    if (list === undefined || isDescribed || !(anyList || items[0]?.isOrdered)) {
      target.push(lines[line]!);
      continue;
    }
    for (const [at, item] of items.entries()) {
      const rows = [...item.rows];
      rows[0] = rows[0]!.replace(TASK_MARK, '');
      const step: Step = {
        label: labelOf(paragraphOf(rows)),
        line: item.line + 1,
        body: [],
        sections,
        isMade: true,
      };
      if (at === 0 && pending !== null) {
        const { heading: above, rows: before } = pending as { heading: Heading; rows: string[] };
        step.body.push(`### ${above.raw}`, '', ...trimBlank(before), '');
        pending = null;
      }
      step.body = [...step.body, ...rows];
      taken.steps.push(step);
      target = step.body;
    }
    target.push('');
    line = list.last;
  }
  flush();
  return taken;
}

/** The first paragraph of an item, whose rows are one text; a name alone in a short first row isn't a part of the text below it. */
function paragraphOf(rows: readonly string[]): string {
  if (/^.{1,40}[\p{L}\p{N})*`]\s*$/u.test(rows[0]!) && /^\s*(?:\p{Lu}|\d+\.\d)/u.test(rows[1] ?? ''))
    return rows[0]!;
  const end = rows.findIndex((row, at) => at > 0 && /^\s*(?:$|[-*+>|#]|\d{1,9}[.)]\s|[`~]{3})/.test(row));
  return rows.slice(0, end === -1 ? rows.length : end).join(' ');
}

function byRows({ lines, from, to, h1 }: ImportBody): ImportedSteps {
  const table = tableOf(lines, from, to);
  if (table === null) throw noProcedure('it has no table with a column Step or Action');
  // What to do is below the name for it, else below that of steps, as far as the cell is more than their number.
  const rank = (name: string) =>
    [hasRole(name, 'action'), hasRole(name, 'step'), hasRole(name, 'purpose'), true].indexOf(true);
  const columns = [...table.header.keys()].sort((x, y) => rank(table.header[x]!) - rank(table.header[y]!));
  const textOf = (cells: readonly string[]) =>
    columns.map((at) => cells[at] ?? '').find((cell) => /\p{L}/u.test(withoutStepMark(cell))) ?? '';
  const last = table.rows.at(-1)!.line;
  const isTitle = (line: number) => h1 !== null && line >= h1.first && line <= h1.last;
  const rest = (a: number, b: number) =>
    lines.slice(a, b).flatMap((row, at) => (isTitle(a + at) ? (h1?.text ?? []) : [row]));
  const steps = table.rows.map(({ line, cells }) => ({
    label: labelOf(textOf(cells)),
    line: line + 1,
    isMade: true as const,
    body: table.header.flatMap((name, at) => (cells[at] ? [`**${name}**: ${cells[at]}`, ''] : [])),
  }));
  const end = steps.at(-1)!;
  end.body = [...end.body, ...rest(last + 1, to)];
  return { preface: rest(from, table.first), steps, rollback: [], about: [] };
}

/** The steps of a document and what comes before them. Throws PROTOCOL_INVALID if it has none of the kind. */
export function importSteps(body: ImportBody, carrier: Carrier): ImportedSteps {
  const taken =
    carrier === 'rows'
      ? byRows(body)
      : carrier.startsWith('h')
        ? byHeadings(body, Number(carrier[1]))
        : byItems(body, carrier === 'tasks');
  if (taken.steps.length === 0) throw noProcedure(`it has no steps of the kind ${carrier}`);
  // A procedure that only rolls back is the procedure.
  const rollback = taken.steps.every(isRollback) ? [] : taken.steps.filter(isRollback);
  const forward = taken.steps.filter((step) => !rollback.includes(step));
  return { ...taken, steps: forward, rollback };
}

export function noProcedure(reason: string): KairosError {
  return new KairosError('PROTOCOL_INVALID', `no procedure found: ${reason}`, {
    hint: 'Choose what carries the steps with --steps, or a part of the document with --section TITLE.',
  });
}

/** The rows without blank ones at both ends. */
export function trimBlank(rows: readonly string[]): string[] {
  const isText = (row: string) => row.trim() !== '';
  const first = rows.findIndex(isText);
  return first === -1 ? [] : rows.slice(first, rows.findLastIndex(isText) + 1);
}

/** Writes items that are sections of a procedure ("1. PURPOSE") as headings, in place. Returns the line of each and the text on it. */
export function raiseItems(lines: string[], lists: ImportBody['lists']): ReadonlyMap<number, string> {
  const read = ({ text: row, ...item }: ReturnType<typeof itemsOf>[number]) => {
    const [, name = row, text = ''] = /^([^:：]{2,50}[:：][*_]*)\s+(\S.*)$/.exec(row) ?? [];
    return { ...item, name, text, roles: item.isOrdered ? rolesOf(name) : new Set() };
  };
  const all = lists.map(({ first, last }) => itemsOf(lines, first, last).map(read));
  const items = all.filter((list) => list.some(({ roles }) => roles.size > 0)).flat();
  const named = items.filter(({ roles }) => roles.size > 0);
  if (named.length < 3 || named.length * 2 < items.length || !named.some(({ roles }) => roles.has('steps')))
    return new Map();
  for (const { line, name, rows } of items) {
    const [number = ''] = /^\s*\d+[.)]/.exec(lines[line]!) ?? [];
    for (const [at, row] of rows.entries()) lines[line + at] = at === 0 ? `## ${number.trim()} ${name}` : row;
  }
  return new Map(items.map(({ line, text }) => [line, text]));
}
