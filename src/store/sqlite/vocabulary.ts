import type { Vocabulary } from '../../search/resolve.ts';
import { slipKeys } from '../../search/typo.ts';
import type { Connection } from './driver.ts';

/** Enough to find the relatives of a word; a prefix shared by more stems doesn't count. */
const STEMS_MAX = 64;

/** The words of the chains of some spaces, and of no other. */
export function vocabularyOf(connection: Connection, spaces: readonly number[]): Vocabulary {
  const inSpaces = JSON.stringify(spaces);
  const known = new Map<string, number>();
  return {
    frequency(stem) {
      let count = known.get(stem);
      if (count === undefined) {
        const sql =
          'SELECT sum(chains) AS count FROM search_term WHERE term = ? AND space_id IN (SELECT value FROM json_each(?))';
        count = Number(connection.prepare(sql).get(stem, inSpaces)?.count ?? 0);
        known.set(stem, count);
      }
      return count;
    },
    stemsBeginningWith(beginning) {
      return connection
        .prepare(
          `SELECT DISTINCT term FROM search_term WHERE space_id IN (SELECT value FROM json_each(?))
           AND term >= ? AND term < ? ORDER BY term LIMIT ${STEMS_MAX}`,
        )
        .all(inSpaces, beginning, `${beginning}\u{10ffff}`)
        .map(({ term }) => String(term));
    },
    nameWordsNear(word) {
      return connection
        .prepare(
          'SELECT DISTINCT word FROM search_slip WHERE key IN (SELECT value FROM json_each(?)) ORDER BY word',
        )
        .all(JSON.stringify(slipKeys(word)))
        .map((row) => String(row.word));
    },
  };
}
