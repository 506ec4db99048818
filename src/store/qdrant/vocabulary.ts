import { allCounts, type SearchDocument } from '../../search/document.ts';
import {
  allowsSlip,
  BEGINNING_LENGTH,
  loadStemmers,
  type ResolvedPhrasing,
  resolve,
  slipKeys,
  type Vocabulary,
} from '../../search/resolve.ts';
import type { Phrasing } from '../../search/words.ts';
import type { Condition, Filter, Hit, Points, QdrantPoint, Query } from './api.ts';
import { is, isOneOf, type Kind, ofKind, pointId } from './ids.ts';

/** Enough to find the relatives of a word; a prefix shared by more stems doesn't count. */
const STEMS_MAX = 256;
/** Chains that one listing counts; a stem in more of them needs a separate request. */
const LISTED_MAX = 100;
/** Words that come in the request for all; more are listed. */
const TEXTS_MAX = 1000;

/**
 * Maps phrasings to the words of the chains of some spaces. Resolving reads its vocabulary synchronously and
 * can't wait, so it runs again after each fetch of what it asked for, until it asks for nothing new. The first
 * request also asks for what matters only when a word turns out to be unknown, or a part of a compound known. Usually one
 * request is enough, and two when a word is unknown.
 */
export async function resolveAll(
  points: Points,
  phrasings: readonly Phrasing[],
  spaces: Condition,
): Promise<ResolvedPhrasing[]> {
  const words = openVocabulary();
  const stemmers = await loadStemmers();
  const resolveWith = (supposed: number) =>
    phrasings.map((phrasing) => resolve(phrasing, words.supposing(supposed), stemmers));
  resolveWith(1);
  for (;;) {
    const resolved = resolveWith(0);
    const questions = words.asked();
    if (questions === null) return resolved;
    await words.learn(points, spaces, questions);
  }
}

interface Questions {
  /** Stems to be counted. */
  stems: string[];
  /** Stems that a listing was too short for. */
  common: string[];
  beginnings: string[];
  words: string[];
}

/** Words that are fetched when they were asked for. */
function openVocabulary() {
  const counts = new Map<string, number>();
  const beginnings = new Map<string, string[]>();
  const neighbours = new Map<string, string[]>();
  const asked = {
    stems: new Set<string>(),
    common: new Set<string>(),
    beginnings: new Set<string>(),
    words: new Set<string>(),
  };
  /** What is known; else it is asked for, and `supposed` until then. */
  const look = <T>(known: Map<string, T>, questions: Set<string>, key: string, supposed: T): T => {
    const answer = known.get(key);
    if (answer === undefined) questions.add(key);
    return answer ?? supposed;
  };

  return {
    /** The vocabulary with a frequency for stems that were not fetched yet. */
    supposing: (frequency: number): Vocabulary => ({
      frequency: (stem) => look(counts, asked.stems, stem, frequency),
      stemsBeginningWith(beginning) {
        const held: string[] = [];
        for (const stem of look(beginnings, asked.beginnings, beginning, [])) {
          // A stem stays when the last chain with it goes.
          if (look(counts, asked.stems, stem, 1) > 0) held.push(stem);
          if (held.length === STEMS_MAX) break;
        }
        return held;
      },
      nameWordsNear: (word) => look(neighbours, asked.words, word, []),
    }),

    /** What was asked for since the last time; null: nothing. */
    asked(): Questions | null {
      const questions = {
        stems: [...asked.stems],
        common: [...asked.common],
        beginnings: [...asked.beginnings],
        words: [...asked.words],
      };
      for (const set of Object.values(asked)) set.clear();
      return Object.values(questions).some(({ length }) => length > 0) ? questions : null;
    },

    async learn(points: Points, spaces: Condition, questions: Questions): Promise<void> {
      const { stems, common } = questions;
      const listing = (stem: string) => ({
        filter: holding(spaces, stem),
        limit: LISTED_MAX,
        with_payload: false,
      });
      const [hits, stemTexts, wordTexts] = await listed(
        points,
        stems.map(listing),
        questions.beginnings.length > 0 &&
          ofKind('stem', spaces, isOneOf('beginning', questions.beginnings.map(lettersOf))),
        questions.words.length > 0 &&
          ofKind('word', spaces, isOneOf('slips', questions.words.flatMap(slipKeys))),
        common.map(async (stem) => counts.set(stem, await points.count(holding(spaces, stem)))),
      );
      for (const [at, stem] of stems.entries()) {
        const count = hits[at]?.length ?? 0;
        counts.set(stem, count);
        if (count === LISTED_MAX) asked.common.add(stem);
      }
      for (const beginning of questions.beginnings)
        beginnings.set(
          beginning,
          stemTexts.filter((stem) => stem.startsWith(beginning)),
        );
      for (const word of questions.words) {
        const keys = new Set(slipKeys(word));
        neighbours.set(
          word,
          wordTexts.filter((text) => slipKeys(text).some((key) => keys.has(key))),
        );
      }
    },
  };
}

/** Listings and the texts of two filters in one request, in parallel with others. */
async function listed(
  points: Points,
  listings: Query[],
  stems: Filter | false,
  words: Filter | false,
  others: readonly Promise<unknown>[],
): Promise<[hits: Hit[][], stems: string[], words: string[]]> {
  const filters = [stems, words].filter((filter) => filter !== false);
  const queries = filters.map((filter) => ({ filter, limit: TEXTS_MAX, with_payload: ['text'] }));
  const [answers] = await Promise.all([points.search([...listings, ...queries]), ...others]);
  const texts = await Promise.all(
    filters.map(async (filter, at) => {
      const hits = answers[listings.length + at] ?? [];
      const found = new Set(hits.map(({ payload }) => String(payload?.text)));
      if (hits.length === TEXTS_MAX)
        for await (const { payload } of points.all(filter, ['text'])) found.add(String(payload?.text));
      // In the order of their code points, as SQLite has them.
      return [...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
  return [answers, (stems && texts.shift()) || [], (words && texts.shift()) || []];
}

function holding(spaces: Condition, stem: string): Filter {
  return ofKind('chain', spaces, is('live', true), is('stems', stem));
}

function lettersOf(beginning: string): string {
  return [...beginning].slice(0, BEGINNING_LENGTH).join('');
}

/** The number of written words to cache; above it all are sent again, which changes nothing. */
const WRITTEN_MAX = 200_000;

/**
 * The words of each space, one point each, so that stems can be found by their beginning and words of titles
 * and slugs despite a slip. They are only added: a word that no chain contains finds nothing.
 */
export interface SpaceWords {
  /** Written before the chain itself is, so that none is ever missing. */
  learn(points: Points, space: string, document: SearchDocument): Promise<void>;
}

export function openWords(): SpaceWords {
  const written = new Set<string>();
  return {
    async learn(points, space, document) {
      const fresh = pointsOf(space, document).filter(({ id }) => !written.has(String(id)));
      await points.insert(fresh);
      if (written.size > WRITTEN_MAX) written.clear();
      for (const { id } of fresh) written.add(String(id));
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
  // Points are only inserted, so a point for beginnings of another length needs another id.
  const id = kind === 'stem' ? pointId(kind, space, text, BEGINNING_LENGTH) : pointId(kind, space, text);
  return { id, vector: {}, payload: { kind, space, text, ...keys } };
}
