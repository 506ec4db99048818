import { parse, stringify } from 'yaml';
import { KairosError } from '../../base/errors.ts';
import { deriveSlug, isSlug } from '../identity.ts';
import { inlineSource } from '../outline.ts';
import { lineIndex } from '../position.ts';
import { trimSpace } from '../scan/blocks.ts';
import { scan } from '../scan/scan.ts';
import { type Carrier, chooseCarrier, type Heading } from './carriers.ts';
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
  const { frontmatter, blocks } = await scan(source, lineIndex(source));
  const data =
    frontmatter === null ? {} : readData(lines.slice(frontmatter.first + 1, frontmatter.last).join('\n'));
  const all: Heading[] = blocks.flatMap((block) =>
    block.type === 'heading'
      ? [
          {
            depth: block.depth,
            raw: rawOf(lines, block.first, block.last),
            first: block.first,
            last: block.last,
          },
        ]
      : [],
  );
  const range = rangeOf(all, lines.length, frontmatter === null ? 0 : frontmatter.last + 1, options.section);
  const headings = all.filter(({ first }) => first >= range.from && first < range.to);
  const h1 = range.title ?? headings.find(({ depth }) => depth === 1) ?? null;
  const title = titleOf(h1, data, options.name, decisions);
  const inside = headings.filter((heading) => heading !== h1);
  // Every further H1 is a phase: it counts as an H2.
  for (const heading of inside) if (heading.depth === 1) heading.depth = 2;
  const lists = blocks.filter(
    ({ type, first }) => type === 'list' && first >= range.from && first < range.to,
  );
  const body = { lines, from: range.from, to: range.to, headings: inside, h1, lists };
  const carrier = options.steps ?? chooseCarrier(body);
  if (carrier === null)
    throw noProcedure('it has no step headings, ordered list, task list or table of steps');
  decisions.push({
    line: (h1?.first ?? 0) + 1,
    what: `steps: ${carrier}${options.steps === undefined ? '' : ' (given)'}`,
  });
  const { preface, steps } = importSteps(body, carrier);
  separate(steps);
  const proofs = steps.filter((step) => proposeProof(step, options, decisions)).length;
  const inputs = placeholderInputs(preface, steps, decisions);
  const named = typeof data.name === 'string' && isSlug(data.name) ? data.name : undefined;
  const slug = typeof data.slug === 'string' && isSlug(data.slug) ? data.slug : (named ?? deriveSlug(title));
  const head = { ...data, slug, ...(Object.keys(inputs).length === 0 ? {} : { inputs }) };
  const parts = [`---\n${stringify(head, { lineWidth: 0 }).trimEnd()}\n---`, `# ${title}`];
  const text = trimBlank(preface).join('\n');
  if (text !== '') parts.push(text);
  if (typeof data.description === 'string' && data.description.trim() !== '') {
    parts.push(
      `## Natural Language Triggers\n\n- ${JSON.stringify(data.description.replace(/\s+/g, ' ').trim())}`,
    );
  }
  for (const { label, body: rows } of steps) parts.push(`## ${label}`, trimBlank(rows).join('\n'));
  const result = `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  decisions.sort((a, b) => a.line - b.line);
  return { text: result, title, slug, carrier, steps: steps.length, proofs, decisions };
}

function readData(yaml: string): Record<string, unknown> {
  try {
    const value: unknown = parse(yaml);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
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

/** Two steps of one name can't be told apart, so later ones get a number. */
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

export interface ImportOptions {
  /** The document's name without folder and extension, for a title if there is no other. */
  name: string;
  steps?: Carrier;
  /** Import only what is below this heading. */
  section?: string;
  /** Why a command can't be a proof as it is; null when it can. */
  commandFault(command: string): string | null;
}

/** Something that the import decided, with the line of the original (1-based). */
interface ImportDecision {
  line: number;
  what: string;
}

const SHELLS: Readonly<Record<string, string>> = {
  sh: 'sh',
  shell: 'sh',
  bash: 'bash',
  console: 'sh',
  zsh: 'zsh',
};

const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*([\w+-]*)(.*)$/;

/** Marks the one fenced command of a step as its proof where nothing speaks against it. Reports why not. */
function proposeProof(step: Step, { commandFault }: ImportOptions, decisions: ImportDecision[]): boolean {
  const fences: { open: number; close: number; language: string; mark: string }[] = [];
  for (let at = 0; at < step.body.length; at += 1) {
    const match = FENCE.exec(step.body[at]!);
    if (match === null) continue;
    const [, , mark = '', language = ''] = match;
    let close = at + 1;
    while (
      close < step.body.length &&
      !new RegExp(`^ {0,3}\\${mark[0]}{${mark.length},}[ \\t]*$`).test(step.body[close]!)
    )
      close += 1;
    fences.push({ open: at, close, language: language.toLowerCase(), mark });
    at = close;
  }
  const shells = fences.filter(({ language }) => language in SHELLS);
  const [only] = shells;
  if (only === undefined) return false;
  const note = (what: string) => decisions.push({ line: step.line, what: `${step.label}: ${what}` });
  const keep = (what: string) => {
    note(what);
    return false;
  };
  if (shells.length > 1)
    return keep(`${shells.length} command blocks kept as text, because a step has one proof`);
  if (only !== fences.at(-1)) return keep('command kept as text, because other code follows it');
  const command = step.body.slice(only.open + 1, only.close).join('\n');
  const fault = commandFault(command);
  if (fault !== null) return keep(`command kept as text, because ${fault}`);
  step.body[only.open] = `${only.mark}${SHELLS[only.language]} proof`;
  note('its command is the proof');
  return true;
}

const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Placeholders of the text that become inputs: `{{NAME}}`, `$ARGUMENTS` of Claude's commands, parameters of agent SOPs. */
function placeholderInputs(
  preface: string[],
  steps: readonly Step[],
  decisions: ImportDecision[],
): Record<string, { description: string }> {
  const inputs: Record<string, { description: string }> = {};
  const declare = (name: string, description: string, line: number) => {
    if (!NAME.test(name) || name in inputs) return;
    inputs[name] = { description };
    decisions.push({ line, what: `input ${name}` });
  };
  for (const row of preface) {
    const match =
      /^[-*+][ \t]+\*{0,2}`?([a-z][a-z0-9_]*)`?\*{0,2}[ \t]*\((?:required|optional)[^)]*\):?\*{0,2}:?[ \t]*(.*)$/i.exec(
        row,
      );
    if (match !== null) declare(match[1]!.toUpperCase(), match[2]!.trim() || match[1]!, 1);
  }
  for (const step of steps) {
    step.label = step.label.replace(/\$ARGUMENTS\b/g, '{{ARGUMENTS}}');
    let isCode = false;
    for (const [at, row] of step.body.entries()) {
      if (/^ {0,3}(?:`{3,}|~{3,})/.test(row)) isCode = !isCode;
      if (isCode) continue;
      let text = row.replace(/\$ARGUMENTS\b/g, '{{ARGUMENTS}}');
      for (const name of Object.keys(inputs))
        text = text
          .replaceAll(`{${name.toLowerCase()}}`, `{{${name}}}`)
          .replaceAll(`{{{${name}}}}`, `{{${name}}}`);
      step.body[at] = text;
      for (const [, name = ''] of text.matchAll(/\{\{([A-Z][A-Z0-9_]*)\}\}/g))
        declare(name, name.toLowerCase().replace(/_/g, ' '), step.line);
    }
  }
  return inputs;
}
