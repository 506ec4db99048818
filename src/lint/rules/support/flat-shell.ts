import type { BlockNode } from '../../../protocol/model.ts';
import type { Fix, RuleContext } from '../../rule.ts';
import { isObject } from './written.ts';

const SHELL_KEYS = ['cmd', 'timeout_seconds'];

/** An edit that puts a flat command into its object. Undefined where the keys are not written one after the other. */
export function nestFlatShell(context: RuleContext, block: BlockNode): Omit<Fix, 'safe'> | undefined {
  const key = block.spelling === 'challenge' ? 'challenge' : 'proof_of_work';
  const proof = (block.raw as Record<string, unknown>)[key];
  if (!isObject(proof)) return undefined;
  const keys = Object.keys(proof).filter((name) => SHELL_KEYS.includes(name));
  const members = keys.map((name) => context.locate(block, [key, name]));
  const first = members[0]?.key;
  const last = members.at(-1)?.value;
  if (first == null || last === undefined || !areNeighbours(Object.keys(proof), keys)) return undefined;
  const { source } = context;
  const range: [number, number] = [first.start.offset, last.end.offset];
  const text = source.slice(...range);
  const hasType = 'type' in proof;
  const indent = source.slice(first.start.offset - first.start.column + 1, first.start.offset);
  const isOwnLine = /^[ \t]*$/.test(indent);
  if (block.format === 'json' && !isOwnLine) {
    return { range, replacement: `${hasType ? '' : '"type": "shell", '}"shell": {${text}}` };
  }
  if (!isOwnLine) return undefined;
  const gap = `\n${indent}`;
  // Every line goes one level deeper, those of a text over several lines included.
  const inner = `  ${text.replace(/(\r\n|\r|\n)(?=.)/g, '$1  ')}`;
  if (block.format === 'json') {
    return {
      range,
      replacement: `${hasType ? '' : `"type": "shell",${gap}`}"shell": {${gap}${inner}${gap}}`,
    };
  }
  return { range, replacement: `${hasType ? '' : `type: shell${gap}`}shell:${gap}${inner}` };
}

function areNeighbours(all: string[], some: string[]): boolean {
  const start = all.indexOf(some[0]!);
  return some.every((key, at) => all[start + at] === key);
}
