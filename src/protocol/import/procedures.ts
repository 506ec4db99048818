import { fencesOf } from '../block/fence.ts';
import { firstAfter } from '../position.ts';
import {
  type Carrier,
  type Heading,
  type ImportBody,
  isAbout,
  itemsOf,
  NUMBERED,
  tableOf,
} from './carriers.ts';
import type { ImportDecision } from './demands.ts';
import { isAction, isForeignAction, PROCEDURE_NAME } from './kinds.ts';
import { warningsIn } from './parameters.ts';
import { hasRole } from './sections.ts';
import type { Step } from './steps.ts';

/** Titles of the parts of one procedure. */
const PHASE =
  /^(?:(?:pre|post)(?:[- ]|(?=[a-z]{4}))|(?:before|during|after|prior to|day|week|month|hour|part|path|option|round|sprint|tag|woche|teil|jour|partie|día|parte)\b|t[-+]\d|(?:first|second|third|next|last|final|initial|start|end|setup|set up|preparations?|prepare|planning|plan|verification|verify|validation|validate|testing|tests?|checks?|check|clean ?-?up|build|deploy|deployment|release|roll ?out|execution|execute|implementation|implement|completion|close|closing|opening|closure|finish|follow[- ]?up|wrap[- ]?up|detection|detect|identification|identify|containment|contain|eradication|eradicate|recovery|recover|triage|investigation|investigate|analysis|analy[sz]e|remediation|remediate|communication|communicate|review|monitoring|monitor|announcement|announce|publish|vorbereitung|durchführung|nachbereitung|prüfung|préparation|exécution|vérification|preparación|ejecución|verificación)$)/iu;

/** Titles of one procedure that may have parts, without the words that collections have too. */
function namesOneProcedure(title: string): boolean {
  const plain = title.replace(PROCEDURE_NAME, '').replace(/\b(?:the|our|guide|manual|handbook|book)\b/gi, '');
  return (
    isAction(plain) ||
    isForeignAction(title) ||
    /\b(?:release|deploy|upgrade|update|roll ?out|fail ?over|back ?up|restore|restart|cut ?over|hand ?(?:over|off)|set ?up|launch|response|review|incident|outage|recovery|install|rollback|audit|go-live|sprint|event|trip|drill|move|hire|leave|process|workflow|sop)\b/i.test(
      plain,
    ) ||
    (plain.match(/\p{L}+/gu) ?? []).some(
      (word) =>
        /(?:ment|tion|sion|ing|ance|ung|miento|mento|ção|zione)$/i.test(word) &&
        !/^(?:production|application|operation|environment|documentation|administration|information|station|management|monitoring|billing|logging|engineering|building|maintenance|development)$/i.test(
          word,
        ),
    )
  );
}

/** Whether the sections are those of a runbook for an alert: at least two kinds of them. */
export function isAlertRunbook(titles: readonly string[]): boolean {
  const kinds = ['meaning', 'impact', 'diagnosis', 'mitigation'] as const;
  return kinds.filter((kind) => titles.some((title) => hasRole(title, kind))).length >= 2;
}

/** The part of a document below a heading. */
export function sectionOf(body: ImportBody, section: Heading): ImportBody {
  const { headings: all, lists } = body;
  const start = firstAfter(all, section.first);
  let end = start;
  while (end < all.length && all[end]!.depth > section.depth) end += 1;
  const [from, to] = [section.first, all[end]?.first ?? body.to];
  const headings = all.slice(start, end);
  const own = lists.slice(firstAfter(lists, from), firstAfter(lists, to - 1));
  const isAlert = isAlertRunbook(headings.map(({ raw }) => raw));
  return { ...body, from, to, headings, h1: section, lists: own, isAlert };
}

/** What the steps of a section are, if it clearly has them. */
function ownSteps({ lines, headings, lists, to, isAlert }: ImportBody): string | null {
  if (isAlert) return 'sections of an alert';
  if (headings.filter(({ raw }) => NUMBERED.test(raw)).length >= 2) return 'numbered headings';
  const announced = headings.find(({ raw }) => hasRole(raw, 'steps'));
  const end = announced === undefined ? (headings[0]?.first ?? to) : to;
  const items = lists
    .filter(({ first }) => first > (announced?.first ?? 0) && first < end)
    .map(({ first, last }) => itemsOf(lines, first, last))
    .find((each) => each.length >= 2 && (each[0]!.isTask || /^ {0,3}1[.)]/.test(lines[each[0]!.line]!)));
  return items === undefined ? null : items[0]!.isTask ? 'a list of tasks' : 'a numbered list';
}

/**
 * The sections of a document that are each a procedure, and why. Null unless each has its own steps and a title that names a
 * procedure, and no title names a part of one.
 */
export function proceduresIn(
  body: ImportBody,
  title: string | null,
): { procedures: Heading[]; reason: string } | null {
  const tops = body.headings.filter(({ depth }) => depth === 1);
  for (const depth of [1, 2, 3]) {
    if (depth > 1 && tops.length > 1) break;
    const sections = body.headings.filter(
      (heading) => heading.depth === depth && !isAbout(heading.raw, false),
    );
    const found = sections.map((section) => ({ section, own: ownSteps(sectionOf(body, section)) }));
    const procedures = found.flatMap(({ section, own }) => (own === null ? [] : [section]));
    const titles = procedures.map(({ raw }) => raw);
    if (
      procedures.length < 2 ||
      titles.some(
        (raw) =>
          PHASE.test(raw) ||
          NUMBERED.test(raw) ||
          hasRole(raw, 'rollback') ||
          hasRole(raw, 'diagnosis', 'mitigation', 'resolution', 'trouble') ||
          hasRole(raw, 'steps'),
      )
    )
      continue;
    // Other sections may only describe; the title of the document is one of them.
    const others = found.filter(({ section, own }) => own === null && !(depth === 1 && section === tops[0]));
    if (
      others.some(
        ({ section }) => sectionOf(body, section).lists.length > 0 || section.first > procedures[0]!.first,
      )
    )
      continue;
    const kinds = new Set(found.flatMap(({ own }) => own ?? []));
    const what = `${procedures.length} sections have their own steps (${[...kinds].join(', ')})`;
    if (kinds.size === 1 && kinds.has('sections of an alert'))
      return { procedures, reason: `${procedures.length} sections are runbooks of alerts` };
    if (titles.every((raw) => PROCEDURE_NAME.test(raw)))
      return { procedures, reason: `${what} and are called procedures` };
    const isOne = depth > 1 && title !== null && namesOneProcedure(title);
    // A list of tasks below an action may be a part of one checklist.
    const isNamed = ({ section: { raw }, own }: (typeof found)[number]) =>
      own === null ||
      PROCEDURE_NAME.test(raw) ||
      (own !== 'a list of tasks' && (depth === 1 || isAction(raw) || isForeignAction(raw)));
    if (!isOne && found.every(isNamed)) return { procedures, reason: `${what} and names of actions` };
  }
  return null;
}

/** Whether a document has what is to carry its steps. */
export function hasCarrier({ lines, headings, lists, isAlert }: ImportBody, carrier: Carrier): boolean {
  if (carrier === 'rows') return true;
  if (carrier.startsWith('h'))
    return headings.some(({ depth, raw }) => depth === Number(carrier[1]) && !isAbout(raw, isAlert));
  return lists.some(
    ({ first, last }) =>
      carrier === 'tasks' || itemsOf(lines, first, last).some(({ isOrdered }) => isOrdered),
  );
}

/** Reports what may be separate procedures: sections with own numbered lists, lists that begin at 1 again, a second table of steps. */
export function reportLists(
  { lines, from, to, headings, lists, isAlert }: ImportBody,
  carrier: Carrier,
  decisions: ImportDecision[],
): void {
  const table = carrier === 'rows' ? tableOf(lines, from, to) : null;
  const next = table === null ? null : tableOf(lines, table.rows.at(-1)!.line + 1, to);
  if (next !== null)
    decisions.push({
      line: next.first + 1,
      what: 'a second table of steps is text of the step before it: import one table with --section',
    });
  if (carrier !== 'list') return;
  const numbered = new Set<number>();
  const again = lists.filter(({ first }) => {
    const section = firstAfter(headings, first);
    const isAgain = /^ {0,3}1[.)]/.test(lines[first]!) && numbered.has(section);
    if (/^ {0,3}\d/.test(lines[first]!)) numbered.add(section);
    return isAgain;
  });
  for (const { first } of again)
    decisions.push({
      line: first + 1,
      what: 'its items are steps too, although the numbers begin again: move the list if it belongs elsewhere',
    });
  const counts = lists.map(
    ({ first, last }) => itemsOf(lines, first, last).filter(({ isOrdered }) => isOrdered).length,
  );
  const sections = headings.filter(({ depth, raw, first }, at) => {
    if (isAbout(raw, isAlert)) return false;
    let end = at + 1;
    while (end < headings.length && headings[end]!.depth > depth) end += 1;
    const next = headings[end]?.first ?? lines.length;
    return counts.slice(firstAfter(lists, first), firstAfter(lists, next - 1)).some((count) => count > 1);
  });
  if (sections.length < 2) return;
  const names = sections.map(({ raw }) => raw).join(', ');
  decisions.push({
    line: sections[0]!.first + 1,
    what: `several numbered lists (${names}): import one with --section if they are separate procedures`,
  });
}

/** Adds a number to later steps with the same name. */
export function separate(steps: readonly Step[], decisions: ImportDecision[]): void {
  const seen = new Map<string, number>();
  for (const step of steps) {
    const { label: before } = step;
    if (/^(?:natural language triggers|completion rule)$/i.test(step.label))
      step.label = `${step.label} (imported)`;
    const key = step.label.toLowerCase();
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    if (count > 1) step.label = `${step.label} (${count})`;
    if (step.label !== before)
      decisions.push({
        line: step.line,
        what: `${before}: called ${step.label}, because that name exists or means something else`,
      });
  }
}

const DONE_TASK = /^(\s*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[xX]\](?=[ \t])/;

/** Marks done tasks as open, because a procedure begins with no task done. Returns the line of each step that had some. */
export function reopenTasks(steps: readonly Step[]): number[] {
  return steps.flatMap(({ line, body }) => {
    let isDone = false;
    rewriteText(body, (row) =>
      row.replace(DONE_TASK, (_, start: string) => {
        isDone = true;
        return `${start}[ ]`;
      }),
    );
    return isDone ? [line] : [];
  });
}

/** Rewrites the rows outside of code blocks, in place. */
function rewriteText(rows: string[], rewrite: (row: string) => string): void {
  const fences = fencesOf(rows);
  for (const [at, row] of rows.entries())
    if (!fences.some(({ open, close }) => open <= at && at <= close)) rows[at] = rewrite(row);
}

/** A warning above a list, or below the heading of a group, becomes a part of every step that it is above. */
export function spreadWarnings(
  { lines, from, headings, lists }: ImportBody,
  steps: readonly Step[],
  decisions: ImportDecision[],
): void {
  const ends = [...headings, ...lists].map(({ last }) => last + 1);
  const above = lists.map(({ first, last }) => ({
    start: Math.max(from, ...ends.filter((end) => end <= first)),
    first,
    last,
  }));
  const groups = headings.flatMap(({ depth, last: own, first: line }, at) => {
    const end = headings.slice(at + 1).find((each) => each.depth <= depth)?.first ?? lines.length;
    const first = headings[at + 1]?.first ?? end;
    return first < end && !steps.some((step) => step.line === line + 1)
      ? [{ start: own + 1, first, last: end - 1 }]
      : [];
  });
  for (const { start, first, last } of [...above, ...groups]) {
    const governed = steps.filter(({ line, why }) => why === undefined && line > first && line <= last + 1);
    for (const { at, rows } of governed.length === 0 ? [] : warningsIn(lines.slice(start, first))) {
      const placeIn = (body: readonly string[]) =>
        body.findIndex((_, place) => rows.every((row, index) => body[place + index] === row));
      const before = steps[steps.indexOf(governed[0]!) - 1];
      const place = before === undefined ? -1 : placeIn(before.body);
      if (place !== -1) before!.body.splice(place, rows.length);
      // What is in the description is about all steps.
      else if (governed.every(({ body }) => placeIn(body) === -1)) continue;
      for (const { body } of governed) if (placeIn(body) === -1) body.unshift(...rows, '');
      const what = `the warning is a part of each of the ${governed.length} steps below it`;
      decisions.push({ line: start + at + 1, what });
    }
  }
}

/** What every procedure of a document has in common: everything outside of them. */
export function sharedRows(
  { procedures, body, title }: { procedures: Heading[]; body: ImportBody; title: Heading | null },
  decisions: ImportDecision[],
): string[] {
  const taken = procedures.map((procedure) => sectionOf(body, procedure));
  const isShared = (line: number) =>
    !taken.some(({ from, to }) => from <= line && line < to) &&
    (title === null || line < title.first || line > title.last);
  const rows = body.lines.flatMap((row, line) =>
    line >= body.from && isShared(line) ? [{ row, line }] : [],
  );
  const first = rows.find(({ row }) => row.trim() !== '');
  if (first === undefined) return [];
  decisions.push({
    line: first.line + 1,
    what: `part of the description of each of the ${procedures.length} procedures`,
  });
  return [...rows.map(({ row }) => row), ''];
}
