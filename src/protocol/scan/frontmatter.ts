import type { LineIndex } from '../position.ts';
import type { Lines } from './blocks.ts';

/**
 * The lines of YAML frontmatter as remark-frontmatter finds them: the first line and the next equal one
 * consist of three hyphens, spaces and tabs allowed after. Without a closing line there is no frontmatter.
 */
export function cutFrontmatter(source: string, lines: LineIndex): Lines | null {
  if (!isFence(source, lines, 0)) return null;
  for (let line = 1; line < lines.starts.length; line += 1) {
    if (isFence(source, lines, line)) return { first: 0, last: line };
  }
  return null;
}

/** Whether a document opens with a line that would begin frontmatter if it were closed. */
export function opensFrontmatter(source: string, lines: LineIndex): boolean {
  return isFence(source, lines, 0) && lines.starts.length > 1;
}

function isFence(source: string, lines: LineIndex, line: number): boolean {
  const start = lines.starts[line]!;
  const end = lines.ends[line]!;
  if (end - start < 3 || !source.startsWith('---', start)) return false;
  for (let at = start + 3; at < end; at += 1) {
    const code = source.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09) return false;
  }
  return true;
}
