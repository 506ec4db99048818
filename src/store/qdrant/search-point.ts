import { sha256Hex } from '../../base/canonical.ts';
import { allCounts, SEARCH_FORMAT, type SearchDocument } from '../../search/document.ts';
import type { Payload } from './api.ts';

/** BM25F's constants, as `src/search/score.ts` has them: the server's order of candidates then comes near the final one. */
const WEIGHTS = [8, 3, 1] as const;
const PIVOTS = [Number.POSITIVE_INFINITY, 80, 250] as const;
const B = 0.75;
const K1 = 2;

/** The keys by which a chain is found. */
export function searchPayload(document: SearchDocument): Payload {
  const counts = allCounts(document);
  return {
    search_format: SEARCH_FORMAT,
    stems: counts.map(([stem]) => stem),
    head_stems: counts.filter(([, [name, summary]]) => name + summary > 0).map(([stem]) => stem),
    phrases: [...new Set(phraseKeys(document).map(phraseHash))],
  };
}

/**
 * A chain as a sparse vector: the weight of each stem, saturated as in BM25F. The server multiplies it with
 * the stem's inverse document frequency (modifier `idf`).
 */
export function searchVectors(document: SearchDocument): {
  bm25?: { indices: number[]; values: number[] };
} {
  const weights = new Map<number, number>();
  for (const [stem, counts] of allCounts(document)) {
    let tf = 0;
    for (const [field, count] of counts.entries()) {
      const length = (document.lengths[field] ?? 0) / (PIVOTS[field] ?? 1);
      tf += ((WEIGHTS[field] ?? 0) * count) / (1 - B + B * Math.max(1, length));
    }
    const index = stemIndex(stem);
    weights.set(index, (weights.get(index) ?? 0) + tf / (K1 + tf));
  }
  return weights.size === 0 ? {} : { bm25: { indices: [...weights.keys()], values: [...weights.values()] } };
}

/** Place of a stem in sparse vectors. Two stems may share one: that makes a candidate more, never a match. */
export function stemIndex(stem: string): number {
  return Number.parseInt(sha256Hex(stem).slice(0, 8), 16);
}

/** The lookup key of a phrase with any characters. */
export function phraseHash(key: string): string {
  return sha256Hex(key).slice(0, 32);
}

/** Names are also found when they are written together. */
function phraseKeys({ names, triggers }: SearchDocument): string[] {
  return [...names, ...names.map((name) => name.replaceAll(' ', '')), ...triggers];
}
