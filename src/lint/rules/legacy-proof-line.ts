import { wordsAsText } from '../../protocol/legacy/proof-line.ts';
import type { BlockNode, Place, StepNode } from '../../protocol/model.ts';
import { renderBlock } from '../../protocol/render.ts';
import { readsAsProse } from '../../shell/placeholder.ts';
import type { Fix } from '../message.ts';
import { problemRule } from '../rule.ts';

export const legacyProofLine = problemRule('legacy-proof-line', {
  family: 'block',
  severity: 'warning',
  summary: 'A demand is a step block, not a line of text.',
  why: 'A proof line has no room for a directory, a pattern or an assurance, and a sentence that happens to begin with the same words becomes a command. It is still read, until a date that STABILITY.md names.',
  fixable: 'safe',
  fix({ place, args }, { source, steps }) {
    const step = steps.find(({ step: { block } }) => block?.place.start.offset === place.start.offset)?.step;
    // Only a person can decide whether it was meant as a command.
    if (step?.block == null || args.doubtful !== undefined || isSentence(step.block)) return undefined;
    const block = fenced(step.block);
    const rest = source.slice(place.end.offset, step.place.end.offset);
    const kept = args.ignored === undefined ? '' : `\n\n${wordsAsText(String(args.ignored))}`;
    return {
      ...(FENCE.test(rest) ? asLast(source, step, block) : inPlace(source, place, rest, kept, block)),
      safe: true,
    };
  },
});

/** The content of the line: a command with its default time limit, in shorthand where possible. */
function fenced({ raw, value }: BlockNode): string {
  if (value.proof_of_work?.type === 'shell') return renderBlock(value);
  return `\`\`\`json\n${JSON.stringify(raw, null, 2)}\n\`\`\``;
}

function isSentence({ value }: BlockNode): boolean {
  const proof = value.proof_of_work;
  return proof?.type === 'shell' && readsAsProse(proof.shell.cmd);
}

type Edit = Pick<Fix, 'range' | 'replacement'>;

const FENCE = /^[ \t]*(?:`{3}|~{3})/m;

/** The block that replaces the line, between blank lines, and above it the words that are kept as text. */
function inPlace(source: string, { start, end }: Place, rest: string, kept: string, block: string): Edit {
  const before = source.slice(0, start.offset).trimEnd().length;
  if (rest.trim() === '') return { range: [before, end.offset], replacement: `${kept}\n\n${block}` };
  // What follows keeps its indentation, which may make it code.
  const blank = /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(rest)![0];
  return { range: [before, end.offset + blank.length], replacement: `${kept}\n\n${block}\n\n` };
}

/** Other code follows, and a block is the last code of its step: the step's text in one piece, and the block after it. */
function asLast(source: string, { labelPlace, place, body }: StepNode, block: string): Edit {
  const from = labelPlace.end.offset;
  const end = place.end.offset;
  const text = [body, block].map((part) => `\n\n${part}`).join('');
  const same = commonStart(source.slice(from, end), text);
  return { range: [from + same, end], replacement: text.slice(same) };
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  // Not between the halves of a character.
  return /[\ud800-\udbff]/.test(a[at - 1] ?? '') ? at - 1 : at;
}
