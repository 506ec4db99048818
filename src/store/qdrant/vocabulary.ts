import { allCounts, type SearchDocument } from '../../search/document.ts';
import type { Phrasing } from '../../search/query.ts';
import { BEGINNING_LENGTH, type ResolvedPhrasing, resolve, type Vocabulary } from '../../search/resolve.ts';
import { allowsSlip, slipKeys } from '../../search/typo.ts';
import type { Condition, Filter, Points, QdrantPoint } from './api.ts';
import { is, isOneOf, type Kind, ofKind, pointId } from './ids.ts';

/** Enough to find the relatives of a word; a prefix shared by more stems doesn't count. */
const STEMS_MAX = 64;

/**
 * Maps phrasings to the words of the chains of some spaces. Resolving reads its vocabulary synchronously and
 * can't wait, so it runs again after each fetch of what it asked for, until it asks for nothing new: two to
 * four rounds.
 */
export async function resolveAll(
  points: Points,
  phrasings: readonly Phrasing[],
  spaces: Condition,
): Promise<ResolvedPhrasing[]> {
  const frequencies = answers<number>(0);
  const beginnings = answers<string[]>([]);
  const neighbours = answers<string[]>([]);
  const vocabulary: Vocabulary = {
    frequency: (stem) => frequencies.look(stem),
    stemsBeginningWith: (beginning) => beginnings.look(beginning),
    nameWordsNear: (word) => neighbours.look(word),
  };
  for (;;) {
    const resolved = phrasings.map((phrasing) => resolve(phrasing, vocabulary));
    // What is asked for after a wrong frequency may not matter at all.
    if (frequencies.asked.size > 0) {
      beginnings.asked.clear();
      neighbours.asked.clear();
      await frequencies.fetch((stems) => countChains(points, spaces, stems));
      continue;
    }
    if (beginnings.asked.size === 0 && neighbours.asked.size === 0) return resolved;
    await beginnings.fetch((list) =>
      eachOf(list, (beginning) => stemsBeginningWith(points, spaces, beginning)),
    );
    await neighbours.fetch((list) => eachOf(list, (word) => wordsNear(points, spaces, word)));
  }
}

interface Answers<T> {
  /** What was asked for and is not known yet. */
  asked: Set<string>;
  look(question: string): T;
  /** Gets to know what was asked for. */
  fetch(answer: (questions: string[]) => Promise<T[]>): Promise<void>;
}

/** Answers that are fetched later, and until then are `unknown`. */
function answers<T>(unknown: T): Answers<T> {
  const known = new Map<string, T>();
  const asked = new Set<string>();
  return {
    asked,
    look(question) {
      const answer = known.get(question);
      if (answer === undefined) asked.add(question);
      return answer ?? unknown;
    },
    async fetch(answer) {
      const questions = [...asked];
      asked.clear();
      const found = await answer(questions);
      for (const [at, question] of questions.entries()) known.set(question, found[at] ?? unknown);
    },
  };
}

/**
 * How many live chains contain each stem. Only known stems are counted, because most parts of compounds are
 * not words.
 */
async function countChains(points: Points, spaces: Condition, stems: readonly string[]): Promise<number[]> {
  const held = await anyHolds(points, spaces, stems);
  return eachOf(stems, async (stem) => (held.has(stem) ? points.count(holding(spaces, stem)) : 0));
}

async function anyHolds(
  points: Points,
  spaces: Condition,
  stems: readonly string[],
): Promise<ReadonlySet<string>> {
  const queries = stems.map((stem) => ({ filter: holding(spaces, stem), limit: 1, with_payload: false }));
  const hits = await points.search(queries);
  return new Set(stems.filter((_, at) => (hits[at]?.length ?? 0) > 0));
}

function holding(spaces: Condition, stem: string): Filter {
  return ofKind('chain', spaces, is('live', true), is('stems', stem));
}

async function stemsBeginningWith(points: Points, spaces: Condition, beginning: string): Promise<string[]> {
  const letters = [...beginning].slice(0, BEGINNING_LENGTH).join('');
  const found = await texts(points, ofKind('stem', spaces, is('beginning', letters)));
  const stems = found.filter((stem) => stem.startsWith(beginning));
  const held = await anyHolds(points, spaces, stems);
  return stems.filter((stem) => held.has(stem)).slice(0, STEMS_MAX);
}

function wordsNear(points: Points, spaces: Condition, word: string): Promise<string[]> {
  return texts(points, ofKind('word', spaces, isOneOf('slips', slipKeys(word))));
}

/** Distinct texts of word points, in the order of their code points, as SQLite has them. */
async function texts(points: Points, filter: Filter): Promise<string[]> {
  const found = new Set<string>();
  for await (const { payload } of points.all(filter, ['text'])) found.add(String(payload?.text));
  return [...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function eachOf<T>(list: readonly string[], answer: (item: string) => Promise<T>): Promise<T[]> {
  return Promise.all(list.map(answer));
}

/** The number of written words to cache; above it all are sent again, which changes nothing. */
const REMEMBERED_MAX = 200_000;

/**
 * The words of each space, one point each, so that stems can be found by their beginning and words of titles
 * and slugs despite a slip. They are only added: a word that no chain contains any more finds nothing.
 */
export interface SpaceWords {
  /** Written before the chain itself is, so that none is ever missing. */
  learn(points: Points, space: string, document: SearchDocument): Promise<void>;
}

export function openWords(): SpaceWords {
  const remembered = new Set<string>();
  return {
    async learn(points, space, document) {
      const fresh = pointsOf(space, document).filter(({ id }) => !remembered.has(String(id)));
      await points.insert(fresh);
      if (remembered.size > REMEMBERED_MAX) remembered.clear();
      for (const { id } of fresh) remembered.add(String(id));
    },
  };
}

function pointsOf(space: string, document: SearchDocument): QdrantPoint[] {
  const found: QdrantPoint[] = [];
  for (const [stem] of allCounts(document)) {
    const beginning = beginningOf(stem);
    if (beginning !== null) found.push(toPoint('stem', space, stem, { beginning }));
  }
  const words = new Set(document.names.flatMap((name) => name.split(' ')).filter(allowsSlip));
  for (const word of words) found.push(toPoint('word', space, word, { slips: slipKeys(word) }));
  return found;
}

/** By what a stem is found; null when it is too short to have relatives. */
function beginningOf(stem: string): string | null {
  const letters = [...stem];
  return letters.length < BEGINNING_LENGTH ? null : letters.slice(0, BEGINNING_LENGTH).join('');
}

function toPoint(
  kind: Kind,
  space: string,
  text: string,
  keys: Record<string, string | string[]>,
): QdrantPoint {
  return { id: pointId(kind, space, text), vector: {}, payload: { kind, space, text, ...keys } };
}
