import type { BlockNode } from '../../../protocol/model.ts';
import type { Fix } from '../../message.ts';
import type { RuleContext } from '../../rule.ts';
import { locateWritten } from './written.ts';

type Path = readonly (string | number)[];

/**
 * An edit that writes a key after another one of the same object, in the style of its surroundings: on the
 * same line, or on a new line with the same indentation. Undefined if the neighbour is not found.
 */
export function insertAfter(
  context: RuleContext,
  block: BlockNode,
  neighbour: Path,
  key: string,
  value: unknown,
): Omit<Fix, 'safe'> | undefined {
  const located = locateWritten(context, block, neighbour);
  if (located === null || located.key === null) return undefined;
  const { source } = context;
  const end = located.value.end.offset;
  const keyStart = located.key.start.offset;
  const lineStart =
    Math.max(source.lastIndexOf('\n', keyStart - 1), source.lastIndexOf('\r', keyStart - 1)) + 1;
  const indent = source.slice(lineStart, keyStart);
  const isOwnLine = /^[ \t]*$/.test(indent);
  const json = JSON.stringify(value);
  if (block.format === 'json' || !isOwnLine) {
    const member = block.format === 'json' ? `${JSON.stringify(key)}: ${json}` : `${key}: ${json}`;
    return {
      range: [end, end],
      replacement: isOwnLine ? `,\n${indent}${member}` : `, ${member}`,
    };
  }
  const member = `${indent}${key}: ${json}`;
  // A block scalar ends with its last line.
  const replacement = source[end - 1] === '\n' ? `${member}\n` : `\n${member}`;
  return { range: [end, end], replacement };
}

/** An edit that replaces a value. Undefined where it is not to be found. */
export function replaceValue(
  context: RuleContext,
  block: BlockNode,
  path: Path,
  value: unknown,
): Omit<Fix, 'safe'> | undefined {
  const located = locateWritten(context, block, path);
  if (located === null) return undefined;
  return {
    range: [located.value.start.offset, located.value.end.offset],
    replacement: JSON.stringify(value),
  };
}
