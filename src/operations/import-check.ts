import { basename, dirname } from 'node:path';
import { hereCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { isProtocol } from '../lint/analyse.ts';
import { lintSource } from '../lint/lint-source.ts';
import type { LintMessage } from '../lint/message.ts';
import { formatSource } from '../lint/rewrite/format-source.ts';
import { fencesOf } from '../protocol/block/fence.ts';
import type { Carrier } from '../protocol/import/carriers.ts';
import { countProtocols, type Imported, importDocument } from '../protocol/import/convert.ts';
import type { ImportOptions } from '../protocol/import/demands.ts';
import type { BlockNode, ParseResult, Place, StepNode } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { commandFault } from '../shell/command-fault.ts';
import { fromAsciiDoc } from './import-asciidoc.ts';

/**
 * Imports a document and reads the result again as kairos does, so that it demands what the decisions name. A command with an error
 * stays text, and so does code that kairos would read as a demand. Throws PROTOCOL_INVALID if the result is invalid elsewhere.
 */
export async function importChecked(
  source: string,
  options: ImportOptions,
): Promise<Omit<Imported, 'taken'>> {
  const refused = new Map<string, string>();
  const commandFault = (command: string) => refused.get(command.trim()) ?? options.commandFault(command);
  for (;;) {
    const { taken, ...imported } = await importDocument(source, { ...options, commandFault });
    const { text, parsed } = await withoutDemands(imported, taken);
    const { messages } = await lintSource(text, { parsed });
    const errors = messages.filter(({ severity }) => severity === 'error');
    const blocks = stepsOf(parsed).flatMap(({ block }) => block ?? []);
    const before = refused.size;
    for (const { place, reason, ruleId } of errors) {
      const command = commandOf(blocks.find((block) => holds(block.place, place)));
      if (command !== null) refused.set(command.trim(), `${reason.replace(/\.$/, '')} (${ruleId})`);
    }
    if (refused.size > before) continue;
    if (errors.length > 0) throw invalid(errors);
    const proofs = blocks.length;
    imported.decisions.sort((a, b) => a.line - b.line);
    return { ...imported, proofs, text: await formatSource(parsed) };
  }
}

const ASCIIDOC = /\.(?:adoc|asciidoc)$/i;

/** What is imported of a document, and how. */
export interface ConvertOptions {
  /** What carries the steps; by the evidence if absent. */
  steps?: Carrier;
  /** Heading: only what is below it is imported. */
  section?: string;
}

/**
 * The protocols that a document makes; each gets a slug that no other of the import has. Throws PROTOCOL_INVALID if a result would
 * be invalid: then something in the source has to change first.
 */
export async function convertDocument(
  text: string,
  { name, file = name }: { name: string; file?: string },
  given: ConvertOptions,
  slugs: ReadonlyMap<string, string>,
): Promise<Omit<Imported, 'taken'>[]> {
  const asciidoc = ASCIIDOC.test(name) ? await fromAsciiDoc(text) : null;
  const source = asciidoc?.text ?? text;
  if (isMeantAsProtocol(await parseProtocol(source))) {
    throw new KairosError(
      'PROTOCOL_INVALID',
      `it is a protocol already; store it with ${hereCommand(['mint', file])}, or rewrite older spellings with ${hereCommand(['migrate', file])}`,
    );
  }
  const options = {
    name: nameFor(name),
    isSop: /\.sop\.md$/i.test(name),
    commandFault,
    ...(given.steps === undefined ? {} : { steps: given.steps }),
    ...(given.section === undefined ? {} : { section: given.section }),
  };
  const count = await countProtocols(source, options);
  const taken = new Map(slugs);
  const made: Omit<Imported, 'taken'>[] = [];
  for (let procedure = 0; procedure < count; procedure += 1) {
    const own = count === 1 ? options : { ...options, procedure };
    let imported = await importChecked(source, own);
    const [slug = '', ...more] = await slugsOf(imported.text);
    const other = more.length > 0 ? undefined : taken.get(slug);
    if (other !== undefined) {
      const stem = slug.slice(0, 60).replace(/-+$/, '');
      let next = 2;
      while (taken.has(`${stem}-${next}`)) next += 1;
      const free = `${stem}-${next}`;
      imported = await importChecked(source, { ...own, slug: free });
      imported.decisions.unshift({ line: 1, what: `slug ${free}, because ${slug} is that of ${other}` });
    }
    for (const each of await slugsOf(imported.text)) taken.set(each, name);
    if (asciidoc !== null) {
      for (const decision of imported.decisions) decision.line = asciidoc.lineOf(decision.line);
      imported.decisions = [...imported.decisions, ...asciidoc.decisions];
      imported.decisions.sort((a, b) => a.line - b.line);
    }
    made.push(imported);
  }
  return made;
}

export async function slugsOf(text: string): Promise<string[]> {
  return (await parseProtocol(text)).document.chains.map(({ slug }) => slug);
}

/** Words that only step blocks of kairos have next to their key. */
const OWN_WORDS =
  /proof[\s_-]*of|\bproof\b[^\n]*\n|["']?\b(?:type["']?\s*:\s*["']?(?:shell|mcp|user_input|comment|sampling)|cmd|shell|mcp|user_input|timeout_seconds|interpreter|tool_name|min_length|evidence_ref|output_schema|json_pointer)\b/i;

/**
 * Whether a document is a protocol or was meant as one. Other tools have blocks with the keys of kairos too: what can't be used as
 * a step block, and has none of its words, is an example of something else.
 */
function isMeantAsProtocol(parsed: ParseResult): boolean {
  const { document, messages } = parsed;
  if (!isProtocol(parsed)) return false;
  const { chains, source } = document;
  if (chains.some((chain) => chain.triggers !== null || chain.completionRule !== null)) return true;
  if (stepsOf(parsed).some(({ block }) => block !== null)) return true;
  const lines = source.split('\n');
  const fences = fencesOf(lines);
  const isOurs = (place: Place): boolean => {
    const row = place.start.line - 1;
    const { open, close } = fences.find((each) => each.open <= row && row <= each.close) ?? {
      open: row,
      close: place.end.line - 1,
    };
    return OWN_WORDS.test(lines.slice(open, close + 1).join('\n'));
  };
  return messages.some(({ code, place }) => !/^(?:block|legacy)-/.test(code) || isOurs(place));
}

/** A skill is named after its folder; Notion adds an id to names. */
function nameFor(path: string): string {
  const name = basename(path)
    .replace(/\.(?:sop\.)?(?:md|mdc|markdown|adoc|asciidoc)$/i, '')
    .replace(/ [0-9a-f]{32}$/, '');
  return /^(?:skill|readme|index)$/i.test(name) ? basename(dirname(path)) : name;
}

function stepsOf({ document }: ParseResult): StepNode[] {
  return document.chains.flatMap(({ steps }) => steps);
}

function holds({ start, end }: Place, inner: Place): boolean {
  return start.offset <= inner.start.offset && inner.end.offset <= end.offset;
}

function commandOf(block: BlockNode | undefined): string | null {
  const proof = block?.value.proof_of_work;
  return block?.format === 'shorthand' && proof?.type === 'shell' ? proof.shell.cmd : null;
}

/** Puts the code of steps without a demand into a block of markdown where kairos would read it as one. */
async function withoutDemands(
  imported: Omit<Imported, 'taken'>,
  taken: Imported['taken'],
): Promise<{ text: string; parsed: ParseResult }> {
  let { text } = imported;
  for (;;) {
    const parsed = await parseProtocol(text);
    const steps = stepsOf(parsed);
    // Another error is the reason, and it is reported.
    if (parsed.messages.some(({ code }) => code.startsWith('document-'))) return { text, parsed };
    if (steps.length !== taken.length)
      throw new KairosError(
        'PROTOCOL_INVALID',
        `kairos would read ${steps.length} steps in the result instead of ${taken.length}; a heading or HTML in the text is read as another one`,
      );
    const lines = text.split('\n');
    const fences = fencesOf(lines);
    const places = [
      ...steps.flatMap(({ block }, at) => (block !== null && !taken[at]!.isProven ? [block.place] : [])),
      ...parsed.messages.flatMap(({ code, place }) => (code.startsWith('block-') ? [place] : [])),
    ];
    const found = places.flatMap(({ start }) => {
      const row = start.line - 1;
      const fence = fences.find(({ open, close }) => open <= row && row <= close);
      const at = steps.findLastIndex(({ place }) => place.start.line <= start.line);
      return fence === undefined ||
        / *markdown$/.test(lines[fence.open]!) ||
        (at !== -1 && isProof(lines[fence.open]!, taken[at]!))
        ? []
        : [{ fence, at }];
    })[0];
    if (found === undefined) return { text, parsed };
    const { open, close } = found.fence;
    const marks = lines.slice(open, close + 1).flatMap((row) => row.match(/`{3,}/g) ?? []);
    const mark = '`'.repeat(Math.max(3, ...marks.map(({ length }) => length)) + 1);
    const pad = ' '.repeat(found.fence.lead);
    const code = lines.slice(open, close + 1);
    lines.splice(open, code.length, `${pad}${mark}markdown`, ...code, pad + mark);
    text = lines.join('\n');
    const step = taken[found.at];
    imported.decisions.push({
      line: step?.line ?? 1,
      what: `${step?.label ?? imported.title}: code is shown in a block of markdown, because kairos would read it as a demand`,
    });
  }
}

/** Whether a fence is the proof that the import has proposed for the step. */
function isProof(opening: string, { isProven }: Imported['taken'][number]): boolean {
  return isProven && / proof$/.test(opening);
}

function invalid(errors: readonly LintMessage[]): KairosError {
  const list = errors.map(
    ({ reason, place, ruleId }) => `\n  line ${place.start.line} of the result: ${reason} (${ruleId})`,
  );
  return new KairosError(
    'PROTOCOL_INVALID',
    `the imported protocol would be invalid:${[...new Set(list)].join('')}`,
  );
}
