import type { Fix } from '../lint/rule.ts';
import type { BlockNode, StepNode } from '../protocol/model.ts';

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/m;

/**
 * The edits that put a step block in the place of an old proof line. Where code follows in the step the block goes to the
 * step's end instead: the last fenced block is the step block. Words after the command stay, as text.
 */
export function proofLineEdits(
  source: string,
  step: StepNode,
  block: BlockNode,
  words: string | null,
): Fix[] {
  const [start, end] = lineOf(block);
  const fence = fenced(block);
  const text = words === null ? '' : asText(words);
  const stepEnd = trimmed(source, step.place.end.offset);
  if (!FENCE.test(source.slice(end, stepEnd))) {
    const replacement = [text, fence].filter((part) => part !== '').join('\n\n');
    return [edit(start, end, apart(source, start, end, replacement))];
  }
  const line =
    text === '' ? wholeLine(source, start, end) : edit(start, end, apart(source, start, end, text));
  return [line, edit(stepEnd, stepEnd, `\n\n${fence}`)];
}

function edit(start: number, end: number, replacement: string): Fix {
  return { range: [start, end], replacement, safe: true };
}

/** From the beginning of the line, its list marker included. */
function lineOf({ place: { start, end } }: BlockNode): [number, number] {
  return [start.offset - (start.column - 1), end.offset];
}

function fenced({ raw }: BlockNode): string {
  const json = JSON.stringify(raw, null, 2);
  const longest = Math.max(2, ...[...json.matchAll(/`+/g)].map(([run]) => run.length));
  const marker = '`'.repeat(longest + 1);
  return `${marker}json\n${json}\n${marker}`;
}

/** With blank lines around where there are none. */
function apart(source: string, start: number, end: number, text: string): string {
  const after = /^[ \t]*(?:$|(?:\r\n|\r(?!\n)|\n)[ \t]*(?:[\r\n]|$))/.test(source.slice(end));
  return `${isAfterBlank(source, start) ? '' : '\n'}${text}${after ? '' : '\n'}`;
}

function isAfterBlank(source: string, start: number): boolean {
  return start === 0 || /(?:^|\n|\r(?!\n))[ \t]*(?:\r\n|\r|\n)$/.test(source.slice(0, start));
}

/** Takes a line out with its line break; of blank lines before and after it one is enough. */
function wholeLine(source: string, start: number, end: number): Fix {
  const rest = isAfterBlank(source, start)
    ? /^[ \t]*(?:\r\n|\r|\n)?(?:[ \t]*(?:\r\n|\r|\n))?/
    : /^[ \t]*(?:\r\n|\r|\n)?/;
  return edit(start, end + rest.exec(source.slice(end))![0].length, '');
}

/** Words that a parser of markdown takes for words. */
function asText(words: string): string {
  return /^[#>+*=~|<`-]/.test(words) ? `\\${words}` : words;
}

function trimmed(source: string, end: number): number {
  return source.slice(0, end).trimEnd().length;
}
