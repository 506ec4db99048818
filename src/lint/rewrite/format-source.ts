import { setImmediate as nextTurn } from 'node:timers/promises';
import { KairosError } from '../../base/errors.ts';
import { digest, toContent } from '../../protocol/identity.ts';
import type { FrontmatterNode, ParseResult } from '../../protocol/model.ts';
import { headingSource } from '../../protocol/outline.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { applyEdits } from '../fix.ts';
import type { Fix } from '../message.ts';

/**
 * A parsed document's text in its canonical form: keys of step blocks and frontmatter in the order of the
 * schema, laid out as Prettier does by default. Everything else stays byte for byte, and so does the digest of every chain. A second run
 * changes nothing. `turn` is awaited before each block: others get their turn there, and what it throws ends the work.
 */
export async function formatSource(
  parsed: ParseResult,
  turn: () => Promise<unknown> = nextTurn,
): Promise<string> {
  const { source, frontmatter, chains } = parsed.document;
  const { blockEdit } = await import('./block-edit.ts');
  const edits: Fix[] = [];
  if (frontmatter !== null) edits.push(await frontmatterEdit(source, frontmatter));
  for (const { block } of chains.flatMap(({ steps }) => steps)) {
    if (block === null) continue;
    await turn();
    const edit = await blockEdit(source, block);
    if (edit !== null) edits.push(edit);
  }
  const { text } = applyEdits(source, edits);
  if (text !== source && digestsOf(await parseProtocol(text)) !== digestsOf(parsed)) {
    throw new KairosError(
      'INTERNAL',
      'formatting would have changed what the protocol means; it was left alone',
      { hint: 'Please report it together with the document.' },
    );
  }
  return text;
}

/** What a copy of a protocol gets. */
interface OfACopy {
  title: string;
  slug: string;
  version: string;
  triggers: string;
}

/**
 * The text of a document of one chain with another title, slug, version and triggers. Everything else stays as its author wrote it, except
 * for the layout of `formatSource`. Null if the result would mean something else, for example with older spellings.
 */
export async function copySource(source: string, copy: OfACopy): Promise<string | null> {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const { document } = await parseProtocol(text);
  const { frontmatter, chains } = document;
  const [chain, ...more] = chains;
  if (chain === undefined || more.length > 0) return null;
  const { title, slug, version, triggers } = copy;
  const section = `${headingSource(2, 'Natural Language Triggers')}\n\n${triggers}`;
  const first = [...chain.steps, ...(chain.completionRule === null ? [] : [chain.completionRule])].map(
    ({ place }) => place.start.offset,
  );
  const at = Math.min(text.length, ...first);
  const written = chain.triggers?.place;
  const edit = (start: number, stop: number, replacement: string): Fix => ({
    range: [start, stop],
    replacement,
    safe: true,
  });
  const { start, end: stop } = chain.titlePlace;
  const edits = [
    edit(start.offset, stop.offset, headingSource(1, title)),
    written === undefined
      ? edit(at, at, at === text.length ? `\n${section}\n` : `${section}\n\n`)
      : edit(
          written.start.offset,
          written.end.offset,
          `${section}${/\s*$/.exec(text.slice(written.start.offset, written.end.offset))![0]}`,
        ),
  ];
  const named = { ...(typeof frontmatter?.data.title === 'string' ? { title } : {}), slug, version };
  const { changeYaml } = await import('../../formats/yaml.ts');
  const [from, to] =
    frontmatter === null
      ? [0, 0]
      : innerRange(text, frontmatter.place.start.offset, frontmatter.place.end.offset);
  const yaml = Object.entries(named).reduce(
    (rows, [key, value]) => changeYaml(rows, key, value),
    text.slice(from, to),
  );
  edits.push(edit(from, to, frontmatter === null ? `---\n${yaml.trimEnd()}\n---\n\n` : yaml.trimEnd()));
  const result = await parseProtocol(`${applyEdits(text, edits).text.trimEnd()}\n`);
  const wanted = { ...toContent(chain), ...copy };
  const [made, ...others] = result.document.chains;
  if (made === undefined || others.length > 0 || digest(toContent(made)) !== digest(wanted)) return null;
  return chain.steps.some(({ block }) => block !== null && block.spelling !== 'proof_of_work')
    ? null
    : formatSource(result);
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
