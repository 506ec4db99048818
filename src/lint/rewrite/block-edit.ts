import { modernise } from '../../protocol/block/modernise.ts';
import { isObject } from '../../protocol/block/value.ts';
import type { BlockNode } from '../../protocol/model.ts';
import type { Fix } from '../message.ts';
import { prettify } from './prettify.ts';

/**
 * The edit that brings a readable step block into its canonical form: keys in the order of the schema, then Prettier's layout.
 * Null for a proof line and for the shorthand, which have none.
 */
export async function blockEdit(source: string, block: BlockNode): Promise<Fix | null> {
  if (block.format === 'line' || block.format === 'shorthand' || !isObject(block.raw)) return null;
  const { start, end } = block.valuePlace;
  const margin = marginOf(source, block);
  const text = withoutMargin(source.slice(start.offset, end.offset), margin);
  const replacement = (await formatBlock(text, block.format, block.raw))
    .split('\n')
    .map((line) => (line === '' ? '' : margin + line))
    .join('\n');
  return { range: [start.offset, end.offset], replacement, safe: true };
}

/** A comment can move once more when keys have changed places, so this runs until nothing changes. */
async function formatBlock(
  text: string,
  format: 'json' | 'yaml',
  raw: Record<string, unknown>,
): Promise<string> {
  const order =
    format === 'json'
      ? (await import('./json-block.ts')).formatJsonBlock
      : (await import('./yaml-block.ts')).formatYamlBlock;
  let [before, value] = [text, raw];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const modern = modernise(value);
    const after = await prettify(order(before, modern), format);
    if (after === before) break;
    before = after;
    value = modern.value as Record<string, unknown>;
  }
  return before;
}

const MAX_ROUNDS = 5;

/** The indentation of the fence: CommonMark 4.5 removes the same from the lines inside. */
function marginOf(source: string, { place: { start } }: BlockNode): string {
  return source.slice(start.offset - (start.column - 1), start.offset);
}

function withoutMargin(text: string, margin: string): string {
  const spaces = new RegExp(`^ {0,${margin.length}}`);
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(spaces, ''))
    .join('\n');
}
