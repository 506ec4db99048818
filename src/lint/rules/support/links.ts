import { Parser } from 'commonmark';
import type { RuleContext } from '../../rule.ts';

/** A link or image whose target is a path relative to its document. */
export interface RelativeLink {
  /** Decoded, without query, fragment and line number. */
  path: string;
  start: number;
  end: number;
}

/** Targets as they are written, in links, images and reference definitions; whether they are any, the parser says. */
const WRITTEN = /\]\(\s*<?([^)\s>]+)|^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s>]+)/gm;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|[/#?]|$)|[{}$<]/i;

/** The relative links of a document, in order. The parser is asked only when something looks like one. */
export function relativeLinks({ source }: Pick<RuleContext, 'source'>): RelativeLink[] {
  if (!source.includes('](') && !source.includes(']:')) return [];
  const found: RelativeLink[] = [];
  for (const match of source.matchAll(WRITTEN)) {
    const target = match[1] ?? match[2]!;
    const path = pathOf(target);
    if (ELSEWHERE.test(target) || path === null) continue;
    const start = match.index + match[0].length - target.length;
    found.push({ path, start, end: start + target.length });
  }
  if (found.length === 0) return [];
  const real = destinations(source);
  return found.filter(({ path }) => real.has(path));
}

/** What the reader of the document can follow: code and escaped brackets hold no links. */
function destinations(source: string): Set<string> {
  const paths = new Set<string>();
  const walker = new Parser().parse(source).walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node, entering } = event;
    if (!entering || (node.type !== 'link' && node.type !== 'image')) continue;
    const path = pathOf(node.destination ?? '');
    if (path !== null) paths.add(path);
  }
  return paths;
}

function pathOf(target: string): string | null {
  try {
    return decodeURIComponent(target.replace(/[?#].*$/s, '').replace(/(?::\d+){1,2}$/, ''));
  } catch {
    return null;
  }
}
