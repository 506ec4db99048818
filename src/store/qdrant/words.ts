import { allCounts, type SearchDocument } from '../../search/document.ts';
import { BEGINNING_LENGTH } from '../../search/resolve.ts';
import { allowsSlip, slipKeys } from '../../search/typo.ts';
import type { Point, Points } from './api.ts';
import { type Kind, pointId } from './ids.ts';

/** The number of written words to cache; above it all are sent again, which changes nothing. */
const REMEMBERED_MAX = 200_000;

/**
 * The words of each space, one point each, so that stems can be found by their beginning and words of titles
 * and slugs despite a slip. They are only added: a word that no chain contains any more finds nothing.
 */
export interface Words {
  /** Written before the chain itself is, so that none is ever missing. */
  learn(points: Points, space: string, document: SearchDocument): Promise<void>;
}

export function openWords(): Words {
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

function pointsOf(space: string, document: SearchDocument): Point[] {
  const found: Point[] = [];
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

function toPoint(kind: Kind, space: string, text: string, keys: Record<string, string | string[]>): Point {
  return { id: pointId(kind, space, text), vector: {}, payload: { kind, space, text, ...keys } };
}
