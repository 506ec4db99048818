import type { ChainContent } from '../protocol/model.ts';
import { allowsSlip, type ResolvedPhrasing, withinOneSlip } from './resolve.ts';
import { stem } from './stem.ts';
import { isStopWord, phraseKey, words } from './words.ts';

/** Raised when words, stems or phrases come out differently, so that stores know to index again. */
export const SEARCH_FORMAT = 3;

/** A chain for search: plain JSON, stored with the chain and made once when it is stored. */
export interface SearchDocument {
  /** Keys of title and slug: their words, parted by a space. */
  names: string[];
  /** Keys of the trigger phrases. */
  triggers: string[];
  /** Distinct stems without stop words of title, slug and each trigger phrase. */
  phrases: string[][];
  /**
   * How often each stem occurs in name, summary and body, one line each: `stem 1 2 3`, with a line break
   * before and after. It is text, because finding a query's few stems in it is much faster than parsing all
   * of them.
   */
  counts: string;
  /** Words in each field. */
  lengths: FieldNumbers;
}

type FieldNumbers = [name: number, summary: number, body: number];

/**
 * Title, slug and tags make the name; triggers, description and completion rule the summary; the steps' labels and
 * texts the body. Step blocks are commands for machines and are left out.
 */
export function toSearchDocument(content: ChainContent): SearchDocument {
  const names = [...new Set([content.title, content.slug].map(phraseKey))];
  const triggers = content.triggers === null ? [] : triggerPhrases(content.triggers).map(phraseKey);
  const fields = [
    [...names.flatMap(words), ...content.tags.flatMap(words)],
    words([content.triggers, content.description, content.completion_rule].join('\n')),
    words(content.steps.map(({ label, body }) => `${label}\n${body}`).join('\n')),
  ];
  return {
    names,
    triggers: [...new Set(triggers)],
    phrases: distinct([...names, ...triggers].map(contentStems)).filter(({ length }) => length > 0),
    counts: countLines(fields),
    lengths: fields.map(({ length }) => length) as FieldNumbers,
  };
}

/** An exact title or slug ranks above an exact trigger, because any author can claim a trigger. */
export const NAME_SCORE = 1;
export const TRIGGER_SCORE = 0.98;
/** One slip away from a whole title or slug. */
const NEAR_NAME_SCORE = 0.88;
/** The same for a name of one word, when the typed word occurs in some chain. */
export const DOUBTFUL_NAME_SCORE = 0.5;

/** How much a phrasing is the title, slug or a trigger of a chain: 1 a name, 0.98 a trigger, less with one slip; else 0. */
export function nameMatch(phrasing: ResolvedPhrasing, document: SearchDocument): number {
  if (document.names.includes(phrasing.key)) return NAME_SCORE;
  if (document.triggers.includes(phrasing.key)) return TRIGGER_SCORE;
  return nearName(phrasing, document);
}

function nearName(phrasing: ResolvedPhrasing, document: SearchDocument): number {
  const joined = phrasing.key.replaceAll(' ', '');
  let best = 0;
  for (const name of document.names) {
    if (name.replaceAll(' ', '') === joined) best = Math.max(best, NEAR_NAME_SCORE);
    const expected = name.split(' ');
    const slip = onlySlip(phrasing.words, expected);
    if (slip === null) continue;
    const doubtful = expected.length === 1 && !phrasing.unknown.has(slip);
    best = Math.max(best, doubtful ? DOUBTFUL_NAME_SCORE : NEAR_NAME_SCORE);
  }
  return best;
}

/** The one word that differs, by one slip; null when more or other things differ. */
function onlySlip(typed: readonly string[], expected: readonly string[]): string | null {
  if (typed.length !== expected.length) return null;
  let slip: string | null = null;
  for (const [at, word] of typed.entries()) {
    const right = expected[at] ?? '';
    if (word === right) continue;
    if (slip !== null || !allowsSlip(right) || !withinOneSlip(word, right)) return null;
    slip = word;
  }
  return slip;
}

/** How often a stem occurs in each field; null when it doesn't. */
export function termCounts({ counts }: SearchDocument, term: string): FieldNumbers | null {
  const at = counts.indexOf(`\n${term} `);
  if (at === -1) return null;
  const numbers = counts.slice(at + term.length + 2, counts.indexOf('\n', at + 1)).split(' ');
  return numbers.map(Number) as FieldNumbers;
}

/** All stems with their counts. */
export function allCounts({ counts }: SearchDocument): [term: string, counts: FieldNumbers][] {
  return counts
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [term = '', ...numbers] = line.split(' ');
      return [term, numbers.map(Number) as FieldNumbers];
    });
}

/** Equal words are counted before they are stemmed: a long text has many words and few different ones. */
function countLines(fields: readonly string[][]): string {
  const ofWords = new Map<string, FieldNumbers>();
  for (const [field, list] of fields.entries()) {
    const one = fields.map((_, other) => Number(other === field)) as FieldNumbers;
    for (const word of list) addTo(ofWords, word, one);
  }
  const ofStems = new Map<string, FieldNumbers>();
  for (const [word, numbers] of ofWords) addTo(ofStems, stem(word), numbers);
  return `\n${[...ofStems].map(([term, numbers]) => `${term} ${numbers.join(' ')}\n`).join('')}`;
}

function addTo(counts: Map<string, FieldNumbers>, key: string, [name, summary, body]: FieldNumbers): void {
  const sum = counts.get(key);
  if (sum === undefined) {
    counts.set(key, [name, summary, body]);
    return;
  }
  sum[0] += name;
  sum[1] += summary;
  sum[2] += body;
}

/** A title, slug or trigger of a chain as its author wrote it. */
export interface WrittenPhrase {
  kind: 'title' | 'slug' | 'trigger';
  text: string;
}

/** Finds the title, slug or trigger with these stems, one of `phrases` with spaces between; null when the chain has none. */
export function phraseAsWritten(
  { title, slug, triggers }: Pick<ChainContent, 'title' | 'slug' | 'triggers'>,
  stems: string,
): WrittenPhrase | null {
  const phrases: WrittenPhrase[] = [
    { kind: 'title', text: title },
    { kind: 'slug', text: slug },
    ...(triggers === null ? [] : triggerPhrases(triggers)).map((text) => ({
      kind: 'trigger' as const,
      text: text.replace(/^["'“„«`]|["'”“»`]$/g, ''),
    })),
  ];
  return phrases.find(({ text }) => contentStems(phraseKey(text)).join(' ') === stems) ?? null;
}

/** The distinct stems of a phrase without its stop words, in order. */
function contentStems(key: string): string[] {
  const kept = words(key).filter((word) => !isStopWord(word));
  return [...new Set(kept.map(stem))];
}

function distinct(lists: string[][]): string[][] {
  return [...new Map(lists.map((list) => [list.join(' '), list])).values()];
}

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
