import { isObject } from '../../base/json.ts';
import type { BlockNode, Place } from '../../protocol/model.ts';
import type { Fix } from '../message.ts';
import { problemRule, type RuleContext } from '../rule.ts';
import { blockAround } from './support/blocks.ts';

export const legacyFlatShell = problemRule('legacy-flat-shell', {
  family: 'block',
  severity: 'warning',
  summary: 'A command is in an object named after its type.',
  why: 'The flat form is from a time when there were only commands. With today’s fields it does not show which keys belong to the command and which to the proof.',
  fixable: 'safe',
  fix({ place }, context) {
    const block = blockAround(context, place);
    const fix = block === null ? undefined : nestFlatShell(context, block);
    return fix === undefined ? undefined : { ...fix, safe: true };
  },
});

const SHELL_KEYS = ['cmd', 'timeout_seconds'];

/** A member of the proof as written. */
interface Member {
  name: string;
  key: Place;
  value: Place;
}

/**
 * An edit that puts a flat command into its object; text between the command and its time follows it.
 * Undefined if that would remove line breaks from the end of a text that keeps them (`|+`).
 */
function nestFlatShell(context: RuleContext, block: BlockNode): Omit<Fix, 'safe'> | undefined {
  const { source } = context;
  const proofKey = block.spelling === 'challenge' ? 'challenge' : 'proof_of_work';
  const proof = (block.raw as Record<string, unknown>)[proofKey];
  const written = context.locate(block, [proofKey]);
  if (!isObject(proof) || written === null) return undefined;
  const members = shellMembers(context, block, proofKey, proof);
  const [first] = members;
  if (first === undefined) return undefined;
  const start = first.key.start.offset;
  // A block of text ends with its last line break, which parts it from what follows.
  const end = start + source.slice(start, members.at(-1)!.value.end.offset).trimEnd().length;
  const range: [number, number] = [start, end];
  const isFlow = source[written.value.start.offset] === '{';
  const pieces = piecesOf(source, members, end, isFlow);
  if (pieces === null) return undefined;
  const [inside, others] = pieces;
  const indent = source.slice(first.key.start.offset - first.key.start.column + 1, first.key.start.offset);
  const isOwnLine = /^[ \t]*$/.test(indent);
  const quote = block.format === 'json' ? '"' : '';
  const type = 'type' in proof ? [] : [`${quote}type${quote}: ${quote}shell${quote}`];
  const name = `${quote}shell${quote}:`;
  if (isFlow && !(isOwnLine && block.format === 'json')) {
    const shell = `${name} {${inside.join(', ')}}`;
    return { range, replacement: [...type, shell, ...others].join(', ') };
  }
  if (!isOwnLine) return undefined;
  const gap = `\n${indent}`;
  const parting = block.format === 'json' ? `,${gap}` : gap;
  // Every line goes one level deeper, those of a text over several lines included.
  const inner = `  ${inside.join(parting).replace(/(\r\n|\r|\n)(?=.)/g, '$1  ')}`;
  const shell = block.format === 'json' ? `${name} {${gap}${inner}${gap}}` : `${name}${gap}${inner}`;
  return { range, replacement: [...type, shell, ...others].join(parting) };
}

/** From the first member that belongs to the command to the last, with everything between them. */
function shellMembers(
  { locate }: RuleContext,
  block: BlockNode,
  proofKey: string,
  proof: Record<string, unknown>,
): Member[] {
  const names = Object.keys(proof);
  const isShells = (name: string) => SHELL_KEYS.includes(name);
  const those = names.slice(names.findIndex(isShells), names.findLastIndex(isShells) + 1);
  return those.flatMap((name) => {
    const found = locate(block, [proofKey, name]);
    return found === null || found.key === null ? [] : [{ name, key: found.key, value: found.value }];
  });
}

const KEEPS_BREAKS = /[|>]\d?\+\d?[ \t]*(?:#.*)?[\r\n]/;

/**
 * The texts that go inside, and those that stay outside. With nothing in between it stays one text, even if its members
 * belong to different parts.
 */
function piecesOf(
  source: string,
  members: readonly Member[],
  end: number,
  isFlow: boolean,
): [string[], string[]] | null {
  if (members.every(({ name }) => SHELL_KEYS.includes(name)))
    return [[source.slice(members[0]!.key.start.offset, end)], []];
  const inside: string[] = [];
  const others: string[] = [];
  for (const [at, { name, key, value }] of members.entries()) {
    // In block style a comment behind a value goes where the value goes.
    const next = isFlow ? value.end.offset : (members[at + 1]?.key.start.offset ?? end);
    const text = source.slice(key.start.offset, next).trimEnd();
    if (KEEPS_BREAKS.test(text)) return null;
    (SHELL_KEYS.includes(name) ? inside : others).push(text);
  }
  return [inside, others];
}
