import { allCounts, type SearchDocument } from '../../src/search/document.ts';
import { slipKeys, type Vocabulary } from '../../src/search/resolve.ts';

/** A vocabulary out of stems with the number of chains that hold them, and words of names. */
export function vocabularyOf(
  stems: Readonly<Record<string, number>>,
  nameWords: readonly string[],
): Vocabulary {
  const known = new Map(Object.entries(stems));
  return {
    frequency: (stem) => known.get(stem) ?? 0,
    stemsBeginningWith: (beginning) =>
      [...known.keys()].filter((stem) => stem.startsWith(beginning)).toSorted(),
    nameWordsNear: (word) => {
      const keys = new Set(slipKeys(word));
      return nameWords.filter((name) => slipKeys(name).some((key) => keys.has(key)));
    },
  };
}

/** The vocabulary of some documents. */
export function vocabularyOfDocuments(documents: readonly SearchDocument[]): Vocabulary {
  const stems: Record<string, number> = {};
  for (const document of documents) {
    for (const [term] of allCounts(document)) stems[term] = (stems[term] ?? 0) + 1;
  }
  return vocabularyOf(stems, [
    ...new Set(documents.flatMap(({ names }) => names.flatMap((name) => name.split(' ')))),
  ]);
}
