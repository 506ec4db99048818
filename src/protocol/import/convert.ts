import { fencesOf } from '../block/fence.ts';
import { readInputs } from '../inputs.ts';
import { withLazyModules } from '../late.ts';
import { lineIndex } from '../position.ts';
import type { Block } from '../scan/blocks.ts';
import { scan } from '../scan/scan.ts';
import type { InputDefinition } from '../schema.ts';
import {
  BOX_ROW,
  type Carrier,
  chooseCarrier,
  type Heading,
  type ImportBody,
  isReference,
  NUMBERED,
  PART_ROW,
} from './carriers.ts';
import { type ImportDecision, type ImportOptions, lineFinder, placeholderInputs } from './demands.ts';
import {
  headingsOf,
  headOf,
  importedRange,
  keyLines,
  readData,
  slugOf,
  takeToml,
  titleOf,
  triggerOf,
} from './frontmatter.ts';
import { otherKindOf } from './kinds.ts';
import {
  hasCarrier,
  isAlertRunbook,
  proceduresIn,
  reopenTasks,
  reportLists,
  sectionOf,
  separate,
  sharedRows,
  spreadWarnings,
} from './procedures.ts';
import { closeLast, demandConstraints, demoteHeadings, proposeProofs, splitAlert } from './proofs.ts';
import { importSteps, noProcedure, raiseItems, type Step, trimBlank } from './steps.ts';

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

interface Source {
  lines: string[];
  /** The YAML of the frontmatter, and its values without inputs that kairos reads. */
  header: string;
  data: Record<string, unknown>;
  declared: Readonly<Record<string, InputDefinition>>;
  /** The first line after the frontmatter. */
  start: number;
  /** The line of a key of the frontmatter (1-based). */
  lineOfKey: (key: string) => number;
  headings: Heading[];
  lists: { first: number; last: number }[];
  decisions: ImportDecision[];
  /** The line of a code block without an end (1-based). */
  unclosed: number | null;
}

/** The numbers such as `4.1` that begin paragraphs of which one is the first and one the second of its part. */
function partNumbers(lines: readonly string[], blocks: readonly Block[]): ReadonlySet<string> {
  const found = new Set(
    blocks.flatMap(({ type, first, last }) =>
      type === 'paragraph'
        ? lines.slice(first, last + 1).flatMap((row) => PART_ROW.exec(row)?.[1] ?? [])
        : [],
    ),
  );
  const isPart = (part: string) => found.has(`${part}.1`) && found.has(`${part}.2`);
  return new Set([...found].filter((number) => isPart(number.split('.')[0]!)));
}

async function readDocument(original: string): Promise<Source> {
  const source = original.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const decisions: ImportDecision[] = [];
  const lines = source.split('\n');
  const unclosed = closeLast(lines, decisions);
  const rows = [...lines];
  for (const [at, row] of lines.entries()) {
    if (!/^(?:\[\[_TOC_\]\]|\[TOC\])[ \t]*$/.test(row)) continue;
    lines[at] = '';
    decisions.push({ line: at + 1, what: 'mark of a table of contents left out' });
  }
  const toml = takeToml(lines);
  if (toml !== null) decisions.push({ line: 1, what: 'frontmatter: TOML written as YAML' });
  const text = lines.join('\n');
  const { frontmatter, ...scanned } = await scan(text, lineIndex(text));
  let { blocks } = scanned;
  const texts = raiseItems(
    lines,
    blocks.filter(({ type }) => type === 'list'),
  );
  for (const line of [...texts.keys()].slice(0, 1))
    decisions.push({ line: line + 1, what: `${texts.size} items are sections by their names` });
  if (texts.size > 0) {
    const raised = lines.join('\n');
    ({ blocks } = await scan(raised, lineIndex(raised)));
  }
  const last = toml?.last ?? frontmatter?.last ?? -1;
  const header = toml?.yaml ?? lines.slice(1, Math.max(last, 1)).join('\n');
  const data = readData(header);
  // Inputs that kairos reads are the document's own, and placeholders add to them.
  const own = await withLazyModules(() => readInputs(data.inputs ?? {}));
  const declared = own.problems.length === 0 ? own.inputs : {};
  if (own.problems.length === 0) delete data.inputs;
  const numbers = partNumbers(lines, blocks);
  const lists = blocks.filter(
    ({ type, first }) =>
      type === 'list' ||
      (type === 'paragraph' &&
        (BOX_ROW.test(lines[first]!) || numbers.has(PART_ROW.exec(lines[first]!)?.[1] ?? ''))),
  );
  const start = last + 1;
  const lineOfKey = keyLines(rows.slice(0, start));
  const headings = headingsOf(lines, blocks, texts);
  return { lines, header, data, declared, start, lineOfKey, headings, lists, decisions, unclosed };
}

/** The procedures of a document if it has several, as far as each has steps. */
function separateProcedures(
  { lines, data, start, headings, lists }: Source,
  { section, steps }: ImportOptions,
): { procedures: Heading[]; reason: string; body: ImportBody; title: Heading | null } | null {
  if (section !== undefined || steps !== undefined) return null;
  const body = { lines, from: start, to: lines.length, headings, h1: null, lists, isAlert: false };
  const [title = null] = headings.filter(({ depth }) => depth === 1);
  const found = proceduresIn(body, title?.raw ?? (typeof data.title === 'string' ? data.title : null));
  if (found?.procedures.every((each) => chooseCarrier(sectionOf(body, each)) !== null) !== true) return null;
  return { ...found, body, title: title === found.procedures[0] ? null : title };
}

/** How many protocols a document makes. */
export async function countProtocols(original: string, options: ImportOptions): Promise<number> {
  return separateProcedures(await readDocument(original), options)?.procedures.length ?? 1;
}

/**
 * Makes a protocol of a runbook, checklist, skill or rule, or of one of its procedures. Text is sliced from the source, so that
 * every sentence stays, and no proof is invented. Throws PROTOCOL_INVALID with the reason if the document has no procedure.
 */
export async function importDocument(original: string, options: ImportOptions): Promise<Imported> {
  const source = await readDocument(original);
  const { lines, header, data, declared, start, lineOfKey, headings: all, decisions, unclosed } = source;
  const several = options.procedure === undefined ? null : separateProcedures(source, options);
  const own = several?.procedures[options.procedure!] ?? null;
  const range =
    several === null || own === null
      ? importedRange(all, lines.length, start, options.section)
      : { ...sectionOf(several.body, own), title: own };
  const headings = all.filter(({ first }) => first >= range.from && first < range.to);
  const phases = headings.filter((heading) => heading.depth === 1);
  const isPhases = phases.length > 1 && phases.every(({ raw }) => NUMBERED.test(raw));
  const h1 = range.title ?? (isPhases ? null : (phases[0] ?? null));
  const named = titleOf(h1, data, options.name, lineOfKey, decisions);
  const written = several?.title ? `${several.title.raw}: ${named}` : named;
  const inside = headings.filter((heading) => heading !== h1);
  // An H1 that isn't the title is a phase: it counts as an H2, and headings below it one deeper too.
  const phase = inside.findIndex(({ depth }) => depth === 1);
  if (phase !== -1) for (const heading of inside.slice(phase)) heading.depth = Math.min(heading.depth + 1, 6);
  const lists = source.lists.filter(({ first }) => first >= range.from && first < range.to);
  const isAlert = isAlertRunbook(inside.map(({ raw }) => raw));
  const body = { lines, from: range.from, to: range.to, headings: inside, h1, lists, isAlert };
  const chosen =
    options.steps === undefined
      ? chooseCarrier(body)
      : { carrier: options.steps, reason: 'it was given', line: h1?.first ?? 0 };
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
  const { preface, steps: found, rollback, about } = importSteps(body, carrier);
  const forward = isAlert ? found.flatMap(splitAlert) : found;
  const steps = [...forward, ...rollback];
  const other =
    isChosen(options) || own !== null ? null : otherKindOf(body, chosen.carrier, written, steps, data);
  if (other !== null)
    throw noProcedure(`${other}. If it is one, give --steps ${carrier}, or --section TITLE for a part`);
  for (const { label, line, why } of steps)
    if (why !== undefined) decisions.push({ line, what: `${label}: a step, because ${why}` });
  if (several !== null && own !== null) {
    const what = `${own.raw}: a separate protocol, because ${several.reason}; --steps ${carrier} makes one of all`;
    decisions.push({ line: own.first + 1, what });
    preface.unshift(...sharedRows(several, decisions));
  }
  for (const rows of [preface, ...steps.map(({ body: own }) => own)]) await demoteHeadings(rows);
  for (const { heading, where } of about)
    decisions.push({
      line: heading.first + 1,
      what: `${heading.raw}: part of ${where}, because it describes the procedure`,
    });
  spreadWarnings(body, steps, decisions);
  for (const line of reopenTasks(steps))
    decisions.push({ line, what: 'done tasks are open again, because a run begins with none done' });
  reportLists(body, carrier, decisions);
  separate(forward, decisions);
  separate(rollback, decisions);
  const guessed = fencesOf(lines).find(({ open }) => open + 1 === unclosed);
  const guess = guessed && plainRows(lines.slice(guessed.open + 1, guessed.close).join('\n'));
  const commandFault = (command: string) =>
    plainRows(command) === guess ? 'its code block had no end' : options.commandFault(command);
  const proven = proposeProofs(preface, steps, { ...options, commandFault }, decisions);
  const { inputs, title } = placeholderInputs(
    {
      title: written,
      isMade: h1 === null || h1.raw === '',
      lineOf: lineFinder(lines, range, start),
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
  const slug = options.slug ?? slugOf(own === null ? data : {}, title, lineOfKey, decisions);
  const added = {
    ...(rollback.length === 0 ? { slug } : {}),
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
  };
  const head = headOf(header, data, added, lineOfKey, decisions);
  const parts = [head === '' ? '' : `---\n${head}\n---`, `# ${title}`];
  const description = trimBlank(preface).join('\n');
  if (description !== '') parts.push(description);
  const trigger = triggerOf(
    own === null ? data : {},
    { title: isAlert && own !== null ? own.raw : title, isAlert, isProven: proven.size > 0 },
    lineOfKey,
    decisions,
  );
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

function plainRows(code: string): string {
  return code.replace(/^[ \t]+/gm, '').trim();
}

/** Whether the person who imports named where the steps are. */
function isChosen({ steps, section }: ImportOptions): boolean {
  return steps !== undefined || section !== undefined;
}
