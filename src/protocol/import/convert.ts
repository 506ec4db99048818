import { readInputs } from '../inputs.ts';
import { withLazyModules } from '../late.ts';
import { lineIndex } from '../position.ts';
import { trimSpace } from '../scan/blocks.ts';
import { scan } from '../scan/scan.ts';
import {
  BOLD_STEP,
  BOX_ROW,
  type Carrier,
  chooseCarrier,
  fencesOf,
  type Heading,
  type ImportBody,
  isAbout,
  isAlertRunbook,
  isReference,
  itemsOf,
  NUMBERED,
  rewriteText,
  tableOf,
} from './carriers.ts';
import {
  demandConstraints,
  type ImportDecision,
  type ImportOptions,
  placeholderInputs,
  proposeProof,
} from './demands.ts';
import { headOf, importedRange, readData, slugOf, takeToml, titleOf, triggerOf } from './frontmatter.ts';
import { importSteps, noProcedure, type Step, trimBlank } from './steps.ts';

export interface Imported {
  text: string;
  title: string;
  slug: string;
  carrier: Carrier;
  steps: number;
  proofs: number;
  decisions: ImportDecision[];
  /** Its steps in the order of the result, and whether each demands something. */
  taken: { label: string; line: number; isProven: boolean }[];
}

/**
 * Makes a protocol of a runbook, checklist, skill or rule. Text is sliced from the source, so that every sentence stays, and no
 * proof is invented. Throws PROTOCOL_INVALID with the reason if the document has no procedure.
 */
export async function importDocument(original: string, options: ImportOptions): Promise<Imported> {
  const source = original.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const decisions: ImportDecision[] = [];
  const lines = source.split('\n');
  for (const [at, row] of lines.entries()) {
    if (!/^(?:\[\[_TOC_\]\]|\[TOC\])[ \t]*$/.test(row)) continue;
    lines[at] = '';
    decisions.push({ line: at + 1, what: 'mark of a table of contents left out' });
  }
  const toml = takeToml(lines);
  if (toml !== null) decisions.push({ line: 1, what: 'frontmatter: TOML written as YAML' });
  const text = toml === null ? source : lines.join('\n');
  const { frontmatter, blocks } = await scan(text, lineIndex(text));
  const last = toml?.last ?? frontmatter?.last ?? -1;
  const header = toml?.yaml ?? lines.slice(1, Math.max(last, 1)).join('\n');
  const data = readData(header);
  // Inputs that kairos reads are the document's own, and placeholders add to them.
  const own = await withLazyModules(() => readInputs(data.inputs ?? {}));
  const declared = own.problems.length === 0 ? own.inputs : {};
  if (own.problems.length === 0) delete data.inputs;
  const all: Heading[] = [];
  let depth = 1;
  for (const { first, last, ...block } of blocks) {
    const bold = block.type === 'paragraph' && first === last ? BOLD_STEP.exec(lines[first]!) : null;
    if (block.type === 'heading') {
      depth = block.depth;
      all.push({ depth, raw: rawOf(lines, first, last), first, last });
    } else if (bold !== null) all.push({ depth: Math.min(depth + 1, 4), raw: bold[1]!.trim(), first, last });
  }
  const range = importedRange(all, lines.length, last + 1, options.section);
  const headings = all.filter(({ first }) => first >= range.from && first < range.to);
  const phases = headings.filter((heading) => heading.depth === 1);
  const isPhases = phases.length > 1 && phases.every(({ raw }) => NUMBERED.test(raw));
  const h1 = range.title ?? (isPhases ? null : (phases[0] ?? null));
  const written = titleOf(h1, data, options.name, decisions);
  const inside = headings.filter((heading) => heading !== h1);
  // An H1 that isn't the title is a phase: it counts as an H2.
  for (const heading of inside) if (heading.depth === 1) heading.depth = 2;
  const lists = blocks.filter(
    ({ type, first }) =>
      (type === 'list' || (type === 'paragraph' && BOX_ROW.test(lines[first]!))) &&
      first >= range.from &&
      first < range.to,
  );
  const isAlert = isAlertRunbook(inside.map(({ raw }) => raw));
  const body = { lines, from: range.from, to: range.to, headings: inside, h1, lists, isAlert };
  const chosen =
    options.steps === undefined
      ? chooseCarrier(body)
      : { carrier: options.steps, reason: 'it was given', line: h1?.first ?? 0 };
  const lastCode = fencesOf(lines).at(-1);
  const unclosed = lastCode?.close === lines.length ? lastCode.open + 1 : null;
  if (unclosed !== null)
    decisions.push({ line: unclosed, what: 'the code block has no end, so all text below it is code' });
  if (chosen === null && unclosed !== null)
    throw noProcedure(`the code block of line ${unclosed} has no end, so all text below it is code`);
  if (chosen === null) {
    const sections = inside.filter(({ depth }) => depth === 2).map(({ raw }) => raw);
    throw noProcedure(
      isReference(sections)
        ? `its sections are those of a reference (${sections.slice(0, 3).join(', ')})`
        : 'it has no headings of steps, no table of steps, and no list of at least two numbered items, two tasks or three others',
    );
  }
  const { carrier } = chosen;
  if (!hasCarrier(body, carrier)) throw noProcedure(`it has no steps of the kind ${carrier}`);
  decisions.push({ line: chosen.line + 1, what: `steps: ${carrier}, because ${chosen.reason}` });
  const { preface, steps: forward, rollback, about } = importSteps(body, carrier);
  const steps = [...forward, ...rollback];
  for (const rows of [preface, ...steps.map(({ body: own }) => own)]) await demoteHeadings(rows);
  for (const { raw, first } of about) {
    const isBefore = steps.every(({ line }) => line > first);
    const where = isBefore ? 'the description' : 'the step before it';
    decisions.push({ line: first + 1, what: `${raw}: part of ${where}, because it describes the procedure` });
  }
  for (const line of reopenTasks(steps))
    decisions.push({ line, what: 'done tasks are open again, because a run begins with none done' });
  reportLists(body, carrier, decisions);
  separate(forward, decisions);
  separate(rollback, decisions);
  const proven = new Set(steps.filter((step) => proposeProof(step, options, decisions)));
  const { inputs, title } = placeholderInputs(
    {
      title: written,
      preface,
      steps,
      declared,
      isSop: options.isSop === true,
      isCommand: 'argument-hint' in data,
    },
    decisions,
  );
  if (options.isSop)
    for (const step of steps) if (!proven.has(step) && demandConstraints(step, decisions)) proven.add(step);
  const slug = options.slug ?? slugOf(data, title, decisions);
  const added = {
    ...(rollback.length === 0 ? { slug } : {}),
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
  };
  const head = headOf(header, data, added, decisions);
  const parts = [head === '' ? '' : `---\n${head}\n---`, `# ${title}`];
  const description = trimBlank(preface).join('\n');
  if (description !== '') parts.push(description);
  const trigger = triggerOf(data, { title, isAlert, isProven: proven.size > 0 }, decisions);
  if (trigger !== null) parts.push(`## Natural Language Triggers\n\n- ${JSON.stringify(trigger)}`);
  const write = ({ label, body: rows }: Step) => parts.push(`## ${label}`, trimBlank(rows).join('\n'));
  forward.forEach(write);
  if (rollback.length > 0) {
    parts.push(`# ${title}: rollback`);
    rollback.forEach(write);
    const what = 'the rollback becomes a second chain, so the document has no slug';
    decisions.push({ line: rollback[0]!.line, what });
  }
  const result = `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  decisions.sort((a, b) => a.line - b.line);
  const taken = steps.map((step) => ({ label: step.label, line: step.line, isProven: proven.has(step) }));
  return { text: result, title, slug, carrier, steps: steps.length, proofs: proven.size, decisions, taken };
}

/** Whether a document has what is to carry its steps. */
function hasCarrier({ lines, headings, lists, isAlert }: ImportBody, carrier: Carrier): boolean {
  if (carrier === 'rows') return true;
  if (carrier.startsWith('h'))
    return headings.some(({ depth, raw }) => depth === Number(carrier[1]) && !isAbout(raw, isAlert));
  return lists.some(
    ({ first, last }) =>
      carrier === 'tasks' || itemsOf(lines, first, last).some(({ isOrdered }) => isOrdered),
  );
}

/** Reports what may be separate procedures: sections with own numbered lists, lists that begin at 1 again, a second table of steps. */
function reportLists(
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

function rawOf(lines: readonly string[], first: number, last: number): string {
  if (first < last) return trimSpace(lines.slice(first, last).join(' '));
  return trimSpace(lines[first]!.replace(/^ {0,3}#{1,6}[ \t]*/, '').replace(/[ \t]+#+[ \t]*$/, ''));
}

/** Adds a number to later steps with the same name. */
function separate(steps: readonly Step[], decisions: ImportDecision[]): void {
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
function reopenTasks(steps: readonly Step[]): number[] {
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

/** A heading inside of a step or of the description, for example in an item of a list, would begin a step. */
async function demoteHeadings(rows: string[]): Promise<void> {
  // A blank row before the text, where no row of dashes is frontmatter.
  const text = `\n${rows.join('\n')}`;
  const { blocks } = await scan(text, lineIndex(text));
  for (const block of blocks.toReversed()) {
    if (block.type !== 'heading' || block.depth > 2) continue;
    const { first, last } = block;
    rows.splice(first - 1, last - first + 1, `### ${rawOf(rows, first - 1, last - 1)}`.trimEnd());
  }
}
