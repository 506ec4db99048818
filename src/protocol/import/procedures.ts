import {
  type Carrier,
  type Heading,
  type ImportBody,
  isAbout,
  isAlertRunbook,
  itemsOf,
  NUMBERED,
  tableOf,
} from './carriers.ts';
import type { ImportDecision } from './demands.ts';
import { isAction, isForeignAction, PROCEDURE_NAME } from './kinds.ts';
import { hasRole } from './sections.ts';

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

/** The part of a document below a heading. */
export function sectionOf(body: ImportBody, section: Heading): ImportBody {
  const next = body.headings.find(({ first, depth }) => first > section.first && depth <= section.depth);
  const [from, to] = [section.first, next?.first ?? body.to];
  const isIn = ({ first }: { first: number }) => first > from && first < to;
  const headings = body.headings.filter(isIn);
  const isAlert = isAlertRunbook(headings.map(({ raw }) => raw));
  return { ...body, from, to, headings, h1: section, lists: body.lists.filter(isIn), isAlert };
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
    if (
      !isOne &&
      !kinds.has('a list of tasks') &&
      (depth === 1 || titles.every((raw) => isAction(raw) || isForeignAction(raw)))
    )
      return { procedures, reason: `${what} and names of actions` };
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
  { lines, from, to, headings, lists }: ImportBody,
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
  const sectionOf = (line: number) => headings.findLastIndex(({ first }) => first < line);
  const again = lists.filter(
    ({ first }, at) =>
      /^ {0,3}1[.)]/.test(lines[first]!) &&
      lists
        .slice(0, at)
        .some((list) => /^ {0,3}\d/.test(lines[list.first]!) && sectionOf(list.first) === sectionOf(first)),
  );
  for (const { first } of again)
    decisions.push({
      line: first + 1,
      what: 'its items are steps too, although the numbers begin again: move the list if it belongs elsewhere',
    });
  const sections = headings.filter(({ depth, first }, at) => {
    const next = headings.slice(at + 1).find((heading) => heading.depth <= depth)?.first ?? lines.length;
    return lists.some(
      (list) =>
        list.first > first &&
        list.first < next &&
        itemsOf(lines, list.first, list.last).filter(({ isOrdered }) => isOrdered).length > 1,
    );
  });
  if (sections.length < 2) return;
  const names = sections.map(({ raw }) => raw).join(', ');
  decisions.push({
    line: sections[0]!.first + 1,
    what: `several numbered lists (${names}): import one with --section if they are separate procedures`,
  });
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
