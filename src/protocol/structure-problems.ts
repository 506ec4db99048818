import { misplacedInHeading, unspacedHeadings } from './block/misplaced.ts';
import { REFERENCE, referencesIn } from './inputs.ts';
import { placedLines } from './legacy/proof-lines.ts';
import type { ChainNode, Place, Problem } from './model.ts';
import type { Outline } from './outline.ts';
import { type LineIndex, placeBetween } from './position.ts';
import { type Block, type HeadingBlock, type Lines, opensFrontmatter, type Scan } from './scan/blocks.ts';
import { MAX_LABEL } from './terms.ts';

/** A line that may be a heading without its space. Marks are rare, so the search begins at them. */
const UNSPACED = /##(?<=(?:^|[\r\n]) {0,3}##)[^\s#!]/;

/** What is wrong with a document as a whole: the places of its parts, for any content. */
export function structureProblems(
  source: string,
  lines: LineIndex,
  scan: Scan,
  { chains }: Outline,
): Problem[] {
  const problems: Problem[] = [];
  const at = (range: Lines): Place => linesPlace(source, lines, range);
  const isUnterminated = scan.frontmatter === null && opensFrontmatter(source, lines);
  if (isUnterminated) problems.push(error('frontmatter-unterminated', at({ first: 0, last: 0 })));
  const misplaced = misplacedFrontmatter(source, lines, scan.blocks);
  problems.push(...misplaced.map((range) => error('frontmatter-misplaced', at(range))));
  if (chains.length === 0) problems.push(error('no-h1', at({ first: 0, last: 0 })));
  else if (!isUnterminated) {
    const text = textBefore(source, lines, scan, chains[0]!.heading.first);
    if (text !== null && !misplaced.some(({ first }) => first === text.first)) {
      problems.push(error('text-before-h1', at(text)));
    }
  }
  const html = scan.blocks.at(-1);
  if (html?.type === 'html' && !isClosedHtml(placedLines(source, lines, html).text)) {
    problems.push(error('html-unclosed', at({ first: html.first, last: html.first })));
  }
  const mayLackSpace = UNSPACED.test(source);
  for (const block of scan.blocks) {
    if (block.type === 'paragraph' && mayLackSpace)
      problems.push(...unspacedHeadings(placedLines(source, lines, block)));
    if (block.type !== 'heading' || block.depth > 2) continue;
    const isSetext = block.first < block.last;
    if (isSetext) problems.push(...misplacedInHeading(placedLines(source, lines, block), true));
    if (headingLength(lines, block) > MAX_LABEL) {
      problems.push(
        error('heading-too-long', at(block), { length: headingLength(lines, block), limit: MAX_LABEL }),
      );
    }
  }
  return problems;
}

/**
 * Unknown names in the texts outside of step bodies: titles, the description and the completion rule. Without inputs and captures
 * braces belong to other tools.
 */
export function unknownReferences(
  { source, lines }: { source: string; lines: LineIndex },
  chain: ChainNode,
): Problem[] {
  const captures = chain.steps.flatMap(({ block }) => block?.value.captures ?? []);
  const known = [...Object.keys(chain.inputs), ...captures.map(({ name }) => name)];
  if (known.length === 0) return [];
  return outerReferences(source, chain).flatMap(({ name, range }): Problem[] => {
    if (known.includes(name)) return [];
    const args = { name, known: known.join(', ') };
    return [{ code: 'reference-unknown', severity: 'error', place: placeBetween(lines, ...range), args }];
  });
}

/** The references outside of step bodies and blocks, each once in a text, with their offsets in the source. */
export function outerReferences(
  source: string,
  { steps, description, completionRule, title, titlePlace, place }: ChainNode,
): { name: string; range: [number, number] }[] {
  const descriptionPlace = { start: titlePlace.end, end: steps[0]?.place.start ?? place.end };
  const texts = [
    { text: title, place: titlePlace },
    { text: description, place: descriptionPlace },
    { text: completionRule?.markdown ?? '', place: completionRule?.place ?? titlePlace },
    ...steps.map(({ label, labelPlace }) => ({ text: label, place: labelPlace })),
  ];
  return texts.flatMap(({ text, place: { start, end } }) =>
    [...new Set(referencesIn(text))].map((name) => {
      const place = { start: start.offset, end: end.offset };
      return { name, range: referenceRange(source, place, name) ?? [place.start, place.end] };
    }),
  );
}

/** The offsets of the first reference to a name in a part of the source, with its braces. */
export function referenceRange(
  source: string,
  { start, end }: { start: number; end: number },
  name: string,
): [number, number] | null {
  const written = [...source.slice(start, end).matchAll(REFERENCE)].find(([, found]) => found === name);
  return written === undefined ? null : [start + written.index, start + written.index + written[0].length];
}

/** From the first character of some lines to the last, white space around them left out. */
export function linesPlace(source: string, lines: LineIndex, { first, last }: Lines): Place {
  let start = lines.starts[first]!;
  let end = lines.ends[last]!;
  while (end > start && ' \t\r\n'.includes(source[end - 1]!)) end -= 1;
  while (start < end && ' \t\r\n'.includes(source[start]!)) start += 1;
  return placeBetween(lines, start, end);
}

function headingLength({ starts, ends }: LineIndex, { first, last }: HeadingBlock): number {
  return ends[first < last ? last - 1 : last]! - starts[first]!;
}

/** The first line before the first H1 that is neither blank nor in a comment. */
function textBefore(
  source: string,
  lines: LineIndex,
  { frontmatter, blocks }: Scan,
  h1: number,
): Lines | null {
  const covered = blocks.filter(
    ({ type, first, last }) =>
      type === 'html' && isComment(source.slice(lines.starts[first], lines.ends[last])),
  );
  for (let line = frontmatter === null ? 0 : frontmatter.last + 1; line < h1; line += 1) {
    if (/^[ \t]*$/.test(source.slice(lines.starts[line], lines.ends[line]))) continue;
    if (covered.some(({ first, last }) => line >= first && line <= last)) continue;
    return blocks.find(({ first, last }) => line >= first && line <= last) ?? { first: line, last: line };
  }
  return null;
}

/** Only comments (CommonMark 4.6, kind 2). */
function isComment(html: string): boolean {
  let at = 0;
  while (at < html.length) {
    const rest = html.slice(at).trimStart();
    if (rest === '') return true;
    const end = rest.startsWith('<!--') ? rest.indexOf('-->') : -1;
    if (end === -1) return false;
    at = html.length - rest.length + end + 3;
  }
  return true;
}

/** HTML that continues until its end is found (CommonMark 4.6, kinds 1 to 5). */
const OPEN_HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^<(?:script|pre|textarea|style)(?:\s|>|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![A-Za-z]/, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];

function isClosedHtml(html: string): boolean {
  const text = html.trimStart();
  const kind = OPEN_HTML.find(([open]) => open.test(text));
  return kind === undefined || kind[1].test(text);
}

/** Frontmatter that isn't at the beginning is a rule, and a heading underlined with hyphens. */
function misplacedFrontmatter(source: string, lines: LineIndex, blocks: readonly Block[]): Lines[] {
  const lineAt = (line: number): string => source.slice(lines.starts[line], lines.ends[line]);
  return blocks.flatMap((block, at) => {
    const rule = blocks[at - 1];
    if (block.type !== 'heading' || block.depth !== 2 || block.first === block.last) return [];
    if (rule?.type !== 'rule' || rule.last !== block.first - 1 || !/^---[ \t]*$/.test(lineAt(rule.last)))
      return [];
    const rows = Array.from({ length: block.last - block.first }, (_, row) => lineAt(block.first + row));
    const isYaml = rows.every((row) => /^(?:[\w-]+:(?:[ \t]|$)|[ \t]*- |[ \t]+\S)/.test(row));
    return isYaml ? [{ first: rule.first, last: block.last }] : [];
  });
}

function error(code: Problem['code'], place: Place, args: Problem['args'] = {}): Problem {
  return { code, severity: 'error', place, args };
}
