import { modernise } from '../../protocol/block/modernise.ts';
import { isObject } from '../../protocol/block/value.ts';
import type { BlockNode } from '../../protocol/model.ts';
import type { Fix } from '../message.ts';

/** The edit that brings a readable step block into its canonical form; null for a proof line, which has none. */
export async function blockEdit(source: string, block: BlockNode): Promise<Fix | null> {
  if (block.format === 'line' || block.format === 'shorthand' || !isObject(block.raw)) return null;
  const { start, end } = block.valuePlace;
  const modern = modernise(block.raw);
  const margin = marginOf(source, block);
  const text = source.slice(start.offset, end.offset);
  const formatted =
    block.format === 'json'
      ? (await import('./json-block.ts')).formatJsonBlock(text, modern)
      : (await import('./yaml-block.ts')).formatYamlBlock(withoutMargin(text, margin), modern);
  const replacement = formatted
    .split('\n')
    .map((line) => (line === '' ? '' : margin + line))
    .join('\n');
  return { range: [start.offset, end.offset], replacement, safe: true };
}

/** What the fence is indented by: CommonMark 4.5 takes as much away from the lines inside. */
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
