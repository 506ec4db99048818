import type { Connection, SqlRow } from './driver.ts';

/** Row id of a space, made when it is new. */
export function spaceId(connection: Connection, name: string): number {
  connection.prepare('INSERT INTO space (name) VALUES (?) ON CONFLICT DO NOTHING').run(name);
  return Number(connection.prepare('SELECT id FROM space WHERE name = ?').get(name)?.id);
}

/** Row ids of those spaces that exist, each once. */
export function knownSpaceIds(connection: Connection, names: readonly string[]): number[] {
  return [...new Set(names)]
    .map((name) => connection.prepare('SELECT id FROM space WHERE name = ?').get(name))
    .filter((row): row is SqlRow => row !== undefined)
    .map((row) => Number(row.id));
}

/** Spaces that contain a chain, by name. */
export function listSpaces(connection: Connection): { name: string; chainCount: number }[] {
  const rows = connection
    .prepare(
      `SELECT space.name, count(*) AS count FROM chain JOIN space ON space.id = chain.space_id
       WHERE chain.head_id IS NOT NULL GROUP BY space.id ORDER BY space.name`,
    )
    .all();
  return rows.map((row) => ({ name: String(row.name), chainCount: Number(row.count) }));
}
