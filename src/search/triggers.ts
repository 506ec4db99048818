/** At most this many phrases of one chain are looked up as wholes; all words of the section are searched anyway. */
const PHRASES_MAX = 256;

/**
 * The phrases of a *Natural Language Triggers* section: text in quotes, and every line without its list
 * marker, quote sign and emphasis. ` / `, ` | ` or `;` separate alternatives on one line.
 */
export function triggerPhrases(markdown: string): string[] {
  const phrases = new Set<string>();
  for (const line of markdown.split(/\r\n?|\n/)) {
    const text = bare(line);
    for (const match of text.matchAll(QUOTED)) add(phrases, match.slice(1).find(Boolean) ?? '');
    for (const part of text.split(/ [/|] |;/)) add(phrases, part);
    if (phrases.size >= PHRASES_MAX) break;
  }
  return [...phrases].slice(0, PHRASES_MAX);
}

const QUOTED = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|‘([^’]+)’|`([^`]+)`/g;

function bare(line: string): string {
  return line
    .replace(/^(?:\s|>)*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?(?:#{1,6}\s+)?/, '')
    .replace(/\*\*|__/g, '')
    .trim();
}

function add(phrases: Set<string>, phrase: string): void {
  const trimmed = phrase.trim();
  if (/[\p{L}\p{N}]/u.test(trimmed)) phrases.add(trimmed);
}
