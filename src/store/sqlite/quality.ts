import type { Quality } from '../../search/quality.ts';
import type { Connection, SqlRow } from './driver.ts';

/** Counts one attested run on a revision; `bonus` is clamped to -1..1. To be run in one write transaction. */
export function rate(
  connection: Connection,
  chainId: string,
  digest: string,
  outcome: 'success' | 'failure',
  bonus: number,
): void {
  connection
    .prepare(
      `INSERT INTO quality (chain_id, digest, runs, successes, bonus) VALUES (?, ?, 1, ?, CAST(? AS REAL))
       ON CONFLICT DO UPDATE SET runs = runs + 1, successes = successes + excluded.successes, bonus = bonus + excluded.bonus`,
    )
    .run(chainId, digest, outcome === 'success' ? 1 : 0, String(Math.max(-1, Math.min(1, bonus))));
}

/** Outcomes of all runs of a chain, for every revision. */
export function quality(connection: Connection, chainId: string): Quality {
  const columns = 'sum(runs) AS runs, sum(successes) AS successes, sum(bonus) AS bonus';
  return toQuality(connection.prepare(`SELECT ${columns} FROM quality WHERE chain_id = ?`).get(chainId));
}

/** The counts of each revision of a chain that was ever rated, by digest. */
export function revisionQualities(connection: Connection, chainId: string): (Quality & { digest: string })[] {
  return connection
    .prepare('SELECT digest, runs, successes, bonus FROM quality WHERE chain_id = ? ORDER BY digest')
    .all(chainId)
    .map((row) => ({ digest: String(row.digest), ...toQuality(row) }));
}

/** The counts in a row, which are null or missing where nothing was ever rated. */
export function toQuality(row: SqlRow | undefined): Quality {
  return {
    runs: Number(row?.runs ?? 0),
    successes: Number(row?.successes ?? 0),
    bonus: Number(row?.bonus ?? 0),
  };
}
