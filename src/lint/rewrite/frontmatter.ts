import { isMap, isScalar, parseDocument, type Scalar } from 'yaml';
import { canonical } from '../../base/canonical.ts';
import { frontmatterSchema } from '../../protocol/schema.ts';
import { inOrder } from './key-order.ts';

/**
 * The text between the fences of a frontmatter with its known keys first, in the order of the schema, and the
 * others after them unchanged. Whole lines move, each key with the comment right above it; nothing else
 * changes.
 */
export function orderFrontmatter(source: string): string {
  const text = source.replace(/\r\n?/g, '\n');
  const { contents, errors } = parseDocument(text, { logLevel: 'error' });
  if (!isMap(contents) || contents.flow || errors.length > 0) return source;
  const keys = contents.items.map(({ key }) =>
    isScalar(key) && typeof key.value === 'string' ? key.value : '',
  );
  const sorted = inOrder(keys, Object.keys(frontmatterSchema.shape));
  if (sorted.every((key, at) => key === keys[at]) || new Set(keys).size < keys.length) return source;
  const lines = text.split('\n');
  const starts = contents.items.map(({ key }) => lineOf(lines, (key as Scalar).range![0]));
  // A key that doesn't begin its line (`? key`) can't move by whole lines.
  if (starts.includes(-1)) return source;
  const firsts = starts.map((line, at) => withComments(lines, line, at === 0 ? 0 : starts[at - 1]! + 1));
  const chunks = firsts.map((line, at) => lines.slice(line, firsts[at + 1] ?? lines.length));
  const moved = sorted.flatMap((key) => chunks[keys.indexOf(key)]!);
  const ordered = [...lines.slice(0, firsts[0]), ...moved].join('\n');
  return sameData(text, ordered) ? ordered : source;
}

/** The line that begins at an offset; -1 when none does. */
function lineOf(lines: readonly string[], offset: number): number {
  let at = 0;
  return lines.findIndex((line) => {
    const start = at;
    at += line.length + 1;
    return start === offset;
  });
}

function withComments(lines: readonly string[], line: number, lowest: number): number {
  let first = line;
  while (first > lowest && lines[first - 1]!.startsWith('#')) first -= 1;
  return first;
}

function sameData(before: string, after: string): boolean {
  const [a, b] = [before, after].map((text) => parseDocument(text, { logLevel: 'error' }));
  return b!.errors.length === 0 && canonical(a!.toJS()) === canonical(b!.toJS());
}
