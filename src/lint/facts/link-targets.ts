import { Parser } from 'commonmark';

/**
 * Where the links and images of a markdown text lead, as its reader can follow them: code and escaped brackets hold none.
 * A module of its own, so that the parser is only loaded for documents with relative links.
 */
export function linkTargets(source: string): Set<string> {
  const targets = new Set<string>();
  const walker = new Parser().parse(source).walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node, entering } = event;
    if (entering && (node.type === 'link' || node.type === 'image')) targets.add(node.destination ?? '');
  }
  return targets;
}
