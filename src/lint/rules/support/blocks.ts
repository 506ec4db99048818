import { suggest } from '../../../base/errors.ts';
import { BLOCK_SHAPE } from '../../../protocol/block/block-shape.ts';
import { isStepBlock } from '../../../protocol/block/demand.ts';
import { readShape } from '../../../protocol/block/shape.ts';
import { modernise } from '../../../protocol/legacy/modernise.ts';
import type { BlockNode, FrontmatterNode, Place } from '../../../protocol/model.ts';
import { FRONTMATTER_KEYS } from '../../../protocol/terms.ts';
import type { RuleContext } from '../../rule.ts';

/** The problems that an invalid fence causes, and that end with it. */
const FOLLOWS: ReadonlySet<string> = new Set(['fence-unclosed', 'block-unclosed-fence', 'fence-nested']);

/**
 * Whether the text at a place would be the demand of its step if it were readable: it is in a step, the step
 * has no other block and no other fault, and no code follows before the next heading.
 */
export function isLoneDemand(
  { steps, problems, source }: RuleContext,
  { start }: Place,
  end: number,
): boolean {
  const step = steps.find(
    ({ step: { place } }) => place.start.offset <= start.offset && start.offset < place.end.offset,
  )?.step;
  if (step === undefined || step.block !== null) return false;
  const { offset: from } = step.place.start;
  const { offset: to } = step.place.end;
  const others = problems.filter(
    ({ code, place: { start: at } }) =>
      at.offset >= from && at.offset < to && at.offset !== start.offset && !FOLLOWS.has(code),
  );
  const rest = source.slice(end, to);
  const heading = rest.search(/^#{1,2}[ \t]/m);
  return others.length === 0 && !/^ {0,3}(?:`{3}|~{3})/m.test(heading === -1 ? rest : rest.slice(0, heading));
}

/**
 * Whether a text is a usable step block in JSON. Only for such blocks are edits offered that make a demand
 * readable: for any other they would cause more errors than they fix.
 */
export function isUsableJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isStepBlock(value) && readShape(BLOCK_SHAPE, modernise(value).value) !== undefined;
  } catch {
    return false;
  }
}

/** The step block that contains a place. Null when the block couldn't be read. */
export function blockAround({ steps }: Pick<RuleContext, 'steps'>, { start, end }: Place): BlockNode | null {
  for (const { step } of steps) {
    const { block } = step;
    if (block !== null && block.place.start.offset <= start.offset && end.offset <= block.place.end.offset)
      return block;
  }
  return null;
}

/** The range between the fence that begins on the line of an offset, or last before it, and the next fence. */
export function fenceAround(source: string, at: number): [start: number, end: number] {
  const end = lineEnd(source, at);
  let start = 0;
  for (const fence of source.slice(0, end).matchAll(FENCE)) start = fence.index + fence[0].length;
  const after = source.slice(end).search(FENCE);
  return [start, after === -1 ? source.length : end + after];
}

/** The end of the line of an offset. */
export function lineEnd(source: string, at: number): number {
  return /[\r\n]|$/.exec(source.slice(at))!.index + at;
}

const FENCE = /^[ \t]*(?:`{3,}|~{3,})[^\r\n]*/gm;

interface Edit {
  range: [number, number];
  replacement: string;
}

/**
 * An edit that moves a fence after other text to a new line, with a blank line before it, with the content
 * and the end of the fence then. Undefined for other faults: inside a quote or list, and if no closing line
 * follows before the next heading.
 */
export function ontoOwnLine(
  source: string,
  at: number,
): { edit: Edit; content: string; end: number } | undefined {
  const lineStart = Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1;
  const before = source.slice(lineStart, at);
  if (!/^ {0,3}[^\s>*+#\d-]/.test(before)) return undefined;
  const [fenced, , body] = FENCED.exec(source.slice(at)) ?? [];
  if (fenced === undefined || /^ {0,3}(?:#{1,2}[ \t]|[`~]{3})/m.test(body!)) return undefined;
  return {
    edit: { range: [lineStart + before.trimEnd().length, at], replacement: '\n\n' },
    content: body!,
    end: at + fenced.length,
  };
}

/** A fence with its language, its content, and a closing line of the same marks. */
const FENCED = /^(`{3,}|~{3,})[^\r\n]*(?:\r\n|\r|\n)([\s\S]*?)^ {0,3}\1[ \t]*$/m;

/** The keys of frontmatter that kairos reads. */
export const KNOWN_KEYS: readonly string[] = FRONTMATTER_KEYS;

/** Keys that belong in a step block. */
const BLOCK_KEYS: ReadonlySet<string> = new Set([
  ...['proof_of_work', 'challenge', 'proposal', 'outputs', 'sampling', 'triggers', 'completion_rule'],
  ...['cmd', 'timeout_seconds', 'workdir', 'env', 'required', 'assurance', 'approval_class'],
]);

/** Whether a key that is not read seems to be meant for kairos: a slip in a known one, or one of a step block. */
export function seemsMeant(key: string): boolean {
  if (KNOWN_KEYS.includes(key)) return false;
  return BLOCK_KEYS.has(key) || suggest(key, KNOWN_KEYS) !== undefined;
}

/** Where a key of the frontmatter is written; the whole frontmatter where that is not simple. */
export function frontmatterKey(
  { source, place }: Pick<RuleContext, 'source' | 'place'>,
  frontmatter: FrontmatterNode,
  key: string,
): Place {
  const start = frontmatter.place.start.offset;
  const text = source.slice(start, frontmatter.place.end.offset);
  for (const quote of ['', '"', "'"]) {
    const written = `\n${quote}${key}${quote}:`;
    const at = text.replaceAll('\r', '\n').indexOf(written);
    if (at !== -1) return place(start + at + 1, start + at + written.length - 1);
  }
  return frontmatter.place;
}
