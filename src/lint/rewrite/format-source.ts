import { KairosError } from '../../base/errors.ts';
import { digest, toContent } from '../../protocol/identity.ts';
import type { FrontmatterNode, ParseResult } from '../../protocol/model.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { applyEdits } from '../fix.ts';
import type { Fix } from '../message.ts';

/**
 * A parsed document's text in its canonical form: keys of step blocks and frontmatter in the order of the
 * schema, laid out as Prettier does by default. All else stays byte for byte, and so does the digest of every chain. A second run
 * changes nothing.
 */
export async function formatSource(parsed: ParseResult): Promise<string> {
  const { source, frontmatter, chains } = parsed.document;
  const { blockEdit } = await import('./block-edit.ts');
  const edits: Fix[] = [];
  if (frontmatter !== null) edits.push(await frontmatterEdit(source, frontmatter));
  for (const { block } of chains.flatMap(({ steps }) => steps)) {
    const edit = block === null ? null : await blockEdit(source, block);
    if (edit !== null) edits.push(edit);
  }
  const { text } = applyEdits(source, edits);
  if (text !== source && digestsOf(await parseProtocol(text)) !== digestsOf(parsed)) {
    throw new KairosError(
      'INTERNAL',
      'formatting would have changed what the protocol means; it was left alone',
      {
        hint: 'Please report it together with the document.',
      },
    );
  }
  return text;
}

async function frontmatterEdit(source: string, { place }: FrontmatterNode): Promise<Fix> {
  const { orderFrontmatter } = await import('./yaml-block.ts');
  const [start, end] = innerRange(source, place.start.offset, place.end.offset);
  const { prettify } = await import('./block-edit.ts');
  const replacement = await prettify(orderFrontmatter(source.slice(start, end)), 'yaml');
  return { range: [start, end], replacement, safe: true };
}

/** The text between the first and the last line of a range, without its last line break. */
function innerRange(source: string, start: number, end: number): [number, number] {
  const [opening = ''] = /^[^\r\n]*(?:\r\n|\n|\r)/.exec(source.slice(start, end)) ?? [];
  const [closing = ''] = /(?:\r\n|\n|\r)[^\r\n]*$/.exec(source.slice(start, end)) ?? [];
  const from = start + opening.length;
  return [from, Math.max(from, end - closing.length)];
}

/** Of every chain, in order. */
export function digestsOf({ document }: ParseResult): string {
  return document.chains.map((chain) => digest(toContent(chain))).join(' ');
}
