import { parse, stringify } from 'yaml';
import { KairosError } from '../../base/errors.ts';
import { deriveSlug, isSlug } from '../identity.ts';
import { inlineSource } from '../outline.ts';
import { lineIndex } from '../position.ts';
import { trimSpace } from '../scan/blocks.ts';
import { scan } from '../scan/scan.ts';
import { isVersion } from '../terms.ts';
import {
  ALERT_SECTION,
  BOLD_STEP,
  type Carrier,
  chooseCarrier,
  type Heading,
  type ImportBody,
  isReference,
  itemsOf,
  NUMBERED,
} from './carriers.ts';
import {
  demandConstraints,
  type ImportDecision,
  type ImportOptions,
  placeholderInputs,
  proposeProof,
} from './demands.ts';
import { importSteps, noProcedure, type Step, trimBlank } from './steps.ts';

export interface Imported {
  text: string;
  title: string;
  slug: string;
  carrier: Carrier;
  steps: number;
  proofs: number;
  decisions: ImportDecision[];
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
  const { frontmatter, blocks } = await scan(source, lineIndex(source));
  const data =
    frontmatter === null ? {} : readData(lines.slice(frontmatter.first + 1, frontmatter.last).join('\n'));
  const all: Heading[] = [];
  let depth = 1;
  for (const { first, last, ...block } of blocks) {
    const bold = block.type === 'paragraph' && first === last ? BOLD_STEP.exec(lines[first]!) : null;
    if (block.type === 'heading') {
      depth = block.depth;
      all.push({ depth, raw: rawOf(lines, first, last), first, last });
    } else if (bold !== null) all.push({ depth: Math.min(depth + 1, 4), raw: bold[1]!.trim(), first, last });
  }
  const range = rangeOf(all, lines.length, frontmatter === null ? 0 : frontmatter.last + 1, options.section);
  const headings = all.filter(({ first }) => first >= range.from && first < range.to);
  const phases = headings.filter((heading) => heading.depth === 1);
  const isPhases = phases.length > 1 && phases.every(({ raw }) => NUMBERED.test(raw));
  const h1 = range.title ?? (isPhases ? null : (phases[0] ?? null));
  const title = titleOf(h1, data, options.name, decisions);
  const inside = headings.filter((heading) => heading !== h1);
  // An H1 that isn't the title is a phase: it counts as an H2.
  for (const heading of inside) if (heading.depth === 1) heading.depth = 2;
  const lists = blocks.filter(
    ({ type, first }) => type === 'list' && first >= range.from && first < range.to,
  );
  const body = { lines, from: range.from, to: range.to, headings: inside, h1, lists };
  const carrier = options.steps ?? chooseCarrier(body);
  if (carrier === null) {
    const sections = inside.filter(({ depth }) => depth === 2).map(({ raw }) => raw);
    throw noProcedure(
      isReference(sections)
        ? `its sections are those of a reference (${sections.slice(0, 3).join(', ')})`
        : 'it has no step headings, ordered list, task list or table of steps',
    );
  }
  decisions.push({
    line: (h1?.first ?? 0) + 1,
    what: `steps: ${carrier}${options.steps === undefined ? '' : ' (given)'}`,
  });
  const { preface, steps: forward, rollback } = importSteps(body, carrier);
  const steps = [...forward, ...rollback];
  reportLists(body, carrier, decisions);
  separate(forward);
  separate(rollback);
  const proofs = steps.filter((step) => proposeProof(step, options, decisions)).length;
  const inputs = placeholderInputs(preface, steps, decisions);
  if (options.isSop) for (const step of steps) demandConstraints(step, decisions);
  const named = typeof data.name === 'string' && isSlug(data.name) ? data.name : undefined;
  const slug = typeof data.slug === 'string' && isSlug(data.slug) ? data.slug : (named ?? deriveSlug(title));
  const head = {
    ...ownKeys(data, decisions),
    ...(rollback.length === 0 ? { slug } : {}),
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
  };
  const yaml =
    Object.keys(head).length === 0 ? '' : `---\n${stringify(head, { lineWidth: 0 }).trimEnd()}\n---`;
  const parts = [yaml, `# ${title}`];
  const text = trimBlank(preface).join('\n');
  if (text !== '') parts.push(text);
  const isAlert = inside.some(({ raw }) => ALERT_SECTION.test(raw));
  const trigger = typeof data.description === 'string' ? data.description : isAlert ? title : '';
  if (trigger.trim() !== '')
    parts.push(`## Natural Language Triggers\n\n- ${JSON.stringify(trigger.replace(/\s+/g, ' ').trim())}`);
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
  return { text: result, title, slug, carrier, steps: steps.length, proofs, decisions };
}

/** Reports sections that may be separate procedures: each has its own numbered list. */
function reportLists(
  { lines, headings, lists }: ImportBody,
  carrier: Carrier,
  decisions: ImportDecision[],
): void {
  if (carrier !== 'list') return;
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

function readData(yaml: string): Record<string, unknown> {
  try {
    const value: unknown = parse(yaml);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    // Cursor writes patterns without quotes, and `globs: *.ts` isn't valid YAML.
    const pairs = [...yaml.matchAll(/^([\w-]+):[ \t]*(.*)$/gm)];
    return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, value.trim()]));
  }
}

/** Frontmatter with the values that kairos reads under these keys; those of other tools get another key. */
function ownKeys(data: Record<string, unknown>, decisions: ImportDecision[]): Record<string, unknown> {
  const { version, tags, inputs, slug: _, ...rest } = data;
  const moved = (key: string, value: unknown) => {
    decisions.push({
      line: 1,
      what: `frontmatter: ${key} kept as source-${key}, because kairos reads another value there`,
    });
    return { [`source-${key}`]: value };
  };
  const list = typeof tags === 'string' ? tags.split(/[\s,]+/).filter((tag) => tag !== '') : tags;
  const isList = Array.isArray(list) && list.every((tag) => typeof tag === 'string' && tag.trim() !== '');
  return {
    ...rest,
    ...(version === undefined
      ? {}
      : typeof version === 'string' && isVersion(version)
        ? { version }
        : moved('version', version)),
    ...(tags === undefined || tags === null ? {} : isList ? { tags: list } : moved('tags', tags)),
    ...(inputs === undefined ? {} : moved('inputs', inputs)),
  };
}

function rawOf(lines: readonly string[], first: number, last: number): string {
  if (first < last) return trimSpace(lines.slice(first, last).join(' '));
  return trimSpace(lines[first]!.replace(/^ {0,3}#{1,6}[ \t]*/, '').replace(/[ \t]+#+[ \t]*$/, ''));
}

interface Range {
  from: number;
  to: number;
  title: Heading | null;
}

function rangeOf(
  headings: readonly Heading[],
  end: number,
  from: number,
  section: string | undefined,
): Range {
  if (section === undefined) return { from, to: end, title: null };
  const wanted = section.toLowerCase().trim();
  const at = headings.findIndex(({ raw }) => raw.toLowerCase() === wanted);
  if (at === -1) {
    throw new KairosError('USAGE', `there is no section ${JSON.stringify(section)}`, {
      hint: `Sections: ${headings.map(({ raw }) => raw).join(', ')}.`,
    });
  }
  const title = headings[at]!;
  const next = headings.slice(at + 1).find(({ depth }) => depth <= title.depth);
  return { from: title.first, to: next?.first ?? end, title };
}

function titleOf(
  h1: Heading | null,
  data: Record<string, unknown>,
  name: string,
  decisions: ImportDecision[],
): string {
  if (h1 !== null && h1.raw !== '') return h1.raw;
  const given = [data.title, data.name].find((value) => typeof value === 'string' && value.trim() !== '');
  const title = typeof given === 'string' ? given.trim() : name.replace(/[-_]+/g, ' ').trim() || 'Untitled';
  decisions.push({
    line: 1,
    what: `title from the ${given === undefined ? "file's name" : 'frontmatter'}: ${title}`,
  });
  return inlineSource(title.replace(/\s+/g, ' '));
}

/** Adds a number to later steps with the same name. */
function separate(steps: readonly Step[]): void {
  const seen = new Map<string, number>();
  for (const step of steps) {
    if (/^(?:natural language triggers|completion rule)$/i.test(step.label))
      step.label = `${step.label} (imported)`;
    const key = step.label.toLowerCase();
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    if (count > 1) step.label = `${step.label} (${count})`;
  }
}
