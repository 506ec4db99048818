import type { RelativeLink } from '../rule.ts';

/** Targets as they are written, in links, images and reference definitions; whether they are any, the parser says. */
const WRITTEN = /\]\(\s*<?([^)\s>]+)|^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s>]+)/gm;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|[/#?]|$)|[{}$<]/i;

/** The relative links of a document, in order. The parser is asked only when something looks like one. */
export async function findLinks(source: string): Promise<RelativeLink[]> {
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
  const { linkTargets } = await import('./link-targets.ts');
  const real = new Set([...linkTargets(source)].map(pathOf));
  return found.filter(({ path }) => real.has(path));
}

/** Null when it cannot be decoded. */
function pathOf(target: string): string | null {
  try {
    return decodeURIComponent(target.replace(/[?#].*$/s, '').replace(/(?::\d+){1,2}$/, ''));
  } catch {
    return null;
  }
}
