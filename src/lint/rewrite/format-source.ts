import { KairosError } from '../../base/errors.ts';
import { toContent } from '../../protocol/content.ts';
import { digest } from '../../protocol/identity.ts';
import type { FrontmatterNode, ParseResult } from '../../protocol/model.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { applyEdits } from '../edits.ts';
import type { Fix } from '../message.ts';

/**
 * A parsed document's text in its canonical form: step blocks and frontmatter as the schema orders them, all else byte for
 * byte as it was. The digest of every chain stays. Formatting twice is formatting once.
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
  const { orderFrontmatter } = await import('./frontmatter.ts');
  const [start, end] = innerRange(source, place.start.offset, place.end.offset);
  return { range: [start, end], replacement: orderFrontmatter(source.slice(start, end)), safe: true };
}

/** What stands between the first and the last line of a range, without its last line break. */
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
