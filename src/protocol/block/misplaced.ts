import { parseJson } from '../../formats/json/parse.ts';
import { type CodeSpan, codeSpans } from '../comments.ts';
import { matchProofLine } from '../legacy/proof-line.ts';
import {
  linesInComments,
  linesInText,
  lonelyLines,
  misplacedLines,
  type PlacedText,
  textLines,
} from '../legacy/proof-lines.ts';
import type { Place, Problem } from '../model.ts';
import type { ContainerBlock, InnerBlock } from '../scan/blocks.ts';
import { DEMAND_MAPPING, DEMAND_OBJECT, isStepBlock, resemblesJson } from './demand.ts';
import { type Fence, isShorthand } from './fence.ts';

/** Where a demand was found that would not be read. */
type Where = 'list' | 'quote' | 'footnote' | 'html' | 'indented' | 'heading' | 'fence';

/** Languages of examples about documents: their content isn't a demand. */
const SHOWS_DOCUMENTS = /^(?:md|mdx|markdown|html?|xml|diff|patch)$/i;

/** Demands inside a list, quote or footnote, except proof lines that are a whole item of a list. */
export function misplacedInContainer(
  container: ContainerBlock,
  placed: (block: InnerBlock) => PlacedText,
): Problem[] {
  return container.inner.flatMap((block) => {
    const text = placed(block);
    switch (block.type) {
      case 'code':
        if (block.language === null) return misplacedInIndented(text, container.type);
        return isDemandCode(block) || isShorthand(block.language, block.meta)
          ? [nested(container.type, whole(text))]
          : [];
      case 'html':
        return misplacedInHtml(text);
      default:
        return block.wholeItem
          ? linesInComments(text)
          : [...misplacedLines(text, container.type), ...misplacedInText(text)];
    }
  });
}

/** A demand written as indented code, its fence included or not; and a proof line, where no other code is around it. */
export function misplacedInIndented(text: PlacedText, where: 'indented' | ContainerBlock['type']): Problem[] {
  return isDemandText(text.text) ? [nested(where, whole(text))] : lonelyLines(text, where);
}

/** Demands inside HTML: in a comment, or in an element that has no blank line before its content. */
export function misplacedInHtml(text: PlacedText): Problem[] {
  const object = DEMAND_OBJECT.exec(text.text) ?? DEMAND_MAPPING.exec(text.text);
  const found =
    object === null ? [] : [nested('html', text.place(object.index, object.index + object[0].length))];
  return [...found, ...shorthandInHtml(text), ...misplacedLines(text, 'html')];
}

/** The lines in HTML that would open a step block in shorthand. */
function shorthandInHtml({ text, place }: PlacedText): Problem[] {
  if (!/`{3}|~{3}/.test(text)) return [];
  return [...textLines(text)].flatMap(({ line, start }) => {
    const [, before, fence, language, meta] =
      /^([ \t]*(?:<!--+[ \t]*)?)((?:`{3,}|~{3,})[ \t]*([^\s`]+)[ \t]+([^`]*))$/.exec(line) ?? [];
    if (fence === undefined || !isShorthand(language!, meta!)) return [];
    const from = start + before!.length;
    return [nested('html', place(from, from + fence.trimEnd().length))];
  });
}

/** A proof line with a rule right under it is a heading; so is one that was given marks. */
export function misplacedInHeading({ text, place }: PlacedText, isSetext: boolean): Problem[] {
  const rows = isSetext ? text.split('\n').slice(0, -1) : [text.replace(/^[ \t]*#{1,6}[ \t]+/, '')];
  for (const row of rows) {
    const line = matchProofLine(row.trim());
    if (line !== null && (isSetext || line.command !== ''))
      return [nested('heading', place(0, text.length), true)];
  }
  return [];
}

/** In a paragraph at the top level: what `misplacedInText` finds, and proof lines in the cells of a table and in comments. */
export function misplacedInParagraph(text: PlacedText): Problem[] {
  return [...linesInText(text), ...misplacedInText(text)];
}

/** In a paragraph: a fence that does not begin its line, JSON without a fence, a comment that hides a demand. */
function misplacedInText({ text, place }: PlacedText): Problem[] {
  if (!SUSPICIOUS.test(text)) return [];
  const fence = inlineFence(text);
  if (fence !== null)
    return [problem(fence.code, place(fence.start, fence.end), { language: fence.language })];
  for (const { line, start } of textLines(text)) {
    const object = DEMAND_OBJECT.exec(line);
    const bare = object?.index === 0 ? object : /^proof_of_work[ \t]*:/.exec(line);
    if (bare !== null) return [problem('block-unfenced', place(start, start + bare[0].length))];
  }
  const hidden = /<!--[\s\S]*?(?:-->|$)/.exec(text);
  const object = hidden === null ? null : DEMAND_OBJECT.exec(hidden[0]);
  if (hidden === null || object === null) return [];
  const start = hidden.index + object.index;
  return [nested('html', place(start, start + object[0].length))];
}

/** Running text without any of these contains nothing misplaced. */
const SUSPICIOUS = /```|~~~|\{|proof_of_work|<!--/;

/** The line inside a fenced block that opens another with as many marks: it was cut in two. */
export function fenceInFence(fence: Fence, place: PlacedText['place']): Problem[] {
  const { text, marker } = fence;
  if (!text.includes(marker)) return [];
  for (const { line, start, indent } of textLines(text)) {
    const [, inner, language] = /^(`{3,}|~{3,})[ \t]*([^\s`~]+)[^`]*$/.exec(line) ?? [];
    if (inner === undefined || indent > 3 || inner[0] !== marker[0] || inner.length < marker.length) continue;
    const isDemand = /^(?:json|ya?ml)$/i.test(language!) && isDemandText(text.slice(start));
    const at = place(fence.toSource(start), fence.toSource(start + line.length));
    const args = { language, marker, line: fence.place.start.line };
    return [
      isDemand ? problem('block-nested', at, { in: 'fence', ...args }) : problem('fence-nested', at, args),
    ];
  }
  return [];
}

function isDemandCode({ value, language }: InnerBlock): boolean {
  return !SHOWS_DOCUMENTS.test(language ?? '') && isDemandText(value);
}

/**
 * Code that is a step block, well-formed or nearly so; a line that would fence it, if it could, is skipped.
 */
function isDemandText(code: string): boolean {
  const text = code
    .replace(/^\s*(?:`{3,}|~{3,})[^\n]*\n/, '')
    .replace(/\n[ \t]*(?:`{3,}|~{3,})[\s\S]*$/, '')
    .trim();
  if (text.startsWith('{')) {
    const parsed = parseJson(text);
    return parsed === undefined ? resemblesJson(text) : isStepBlock(parsed.value);
  }
  return DEMAND_MAPPING.exec(text)?.index === 0;
}

interface InlineFence {
  code: 'block-pseudo-fence' | 'fence-inline';
  language: string;
  start: number;
  end: number;
}

const AT_LINE_END =
  /[^\s`~]\s*((`{3,})[ \t]*([\w+.-]*)(?:[ \t]+(proof(?:[ \t][^`]*)?))?|(~{3,})[ \t]*(json|ya?ml))[ \t]*$/i;

/**
 * Finds three or more backticks at the end of a line that has text before them: the fence that was meant isn't one, and the one
 * that should close it opens another. A run that opens or closes a code span (CommonMark 6.1) isn't a fence, unless the span contains
 * a demand.
 */
function inlineFence(text: string): InlineFence | null {
  let spans: readonly CodeSpan[] | undefined;
  for (const { line, start } of textLines(text)) {
    const match = AT_LINE_END.exec(line);
    if (match === null) continue;
    const [, run, ticks, word, meta, , tildeWord] = match;
    const language = word ?? tildeWord ?? '';
    const at = start + match.index + match[0].indexOf(run!);
    const end = start + line.length;
    const isDemand = DEMAND_OBJECT.exec(text.slice(end, end + LOOK_AHEAD).trimStart())?.index === 0;
    if (ticks !== undefined) {
      spans ??= codeSpans(text);
      const span = spans.find((each) => each.start <= at && at < each.end);
      if (span !== undefined && !(span.start === at && isDemand)) continue;
      if (text[at - 1] === '\\') continue;
    }
    const isBlock =
      isDemand || /^(?:json|ya?ml)$/i.test(language) || (meta !== undefined && isShorthand(language, meta));
    if (meta !== undefined && !isBlock) continue;
    return { code: isBlock ? 'block-pseudo-fence' : 'fence-inline', language, start: at, end };
  }
  return null;
}

/** Finds lines that would be headings of steps with a space after their marks, such as `##Approve`. */
export function unspacedHeadings({ text, place }: PlacedText): Problem[] {
  if (!text.includes('##')) return [];
  return [...textLines(text)].flatMap(({ line, start, indent }) =>
    indent <= 3 && /^##[^\s#!]/.test(line)
      ? [problem('heading-without-space', place(start, start + line.length), { text: line.slice(0, 60) })]
      : [],
  );
}

/** Characters after a fence that may contain the beginning of an object. */
const LOOK_AHEAD = 200;

function whole({ text, place }: PlacedText): Place {
  return place(0, text.length);
}

function nested(where: Where, place: Place, isLine = false): Problem {
  return problem('block-nested', place, { in: where, line: isLine || undefined });
}

function problem(code: Problem['code'], place: Place, args: Problem['args'] = {}): Problem {
  return { code, severity: 'error', place, args };
}
