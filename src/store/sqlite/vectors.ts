import type { ChainContent } from '../../protocol/model.ts';
import { packVectors } from '../../search/cosine.ts';
import type { ChainToEmbed, ChainVector, VectorModel, VectorModelState } from '../../search/vectors.ts';
import { noSuchModel, otherDimensions, requireComparable } from '../port.ts';
import { type Connection, readStored, type SqlRow } from './driver.ts';

/** A model's row id, with what search must know about it; null when the store has not that model. */
export function vectorModelRow(connection: Connection, model: string): (VectorModel & { id: number }) | null {
  const row = connection.prepare('SELECT * FROM vector_model WHERE model = ?').get(model);
  return row === undefined ? null : { id: Number(row.id), ...toModel(row) };
}

export function vectorModels(connection: Connection): VectorModelState[] {
  return connection
    .prepare(
      `SELECT *, (SELECT count(*) FROM vector WHERE model_id = vector_model.id AND vector IS NOT NULL) AS vectors
       FROM vector_model ORDER BY model`,
    )
    .all()
    .map((row) => ({ ...toModel(row), inUse: Number(row.in_use) === 1, vectors: Number(row.vectors) }));
}

export function vectorModelInUse(connection: Connection): VectorModel | null {
  const row = connection.prepare('SELECT * FROM vector_model WHERE in_use = 1').get();
  return row === undefined ? null : toModel(row);
}

/** To be run in one write transaction, as all below. See `VectorStore`. */
export function addVectorModel(
  connection: Connection,
  { model, dimensions, floor, ceiling }: VectorModel,
): void {
  const known = vectorModelRow(connection, model);
  if (known !== null && known.dimensions !== dimensions) throw otherDimensions(known, dimensions);
  connection
    .prepare(
      `INSERT INTO vector_model (model, dimensions, floor, ceiling) VALUES (?, ?, ?, ?)
       ON CONFLICT (model) DO UPDATE SET floor = excluded.floor, ceiling = excluded.ceiling`,
    )
    .run(model, dimensions, floor, ceiling);
}

export function useVectorModel(connection: Connection, model: string | null): boolean {
  if (model !== null && vectorModelRow(connection, model) === null) return false;
  connection.prepare('UPDATE vector_model SET in_use = 0 WHERE in_use = 1').run();
  connection.prepare('UPDATE vector_model SET in_use = 1 WHERE model = ?').run(model);
  return true;
}

export function dropVectorModel(connection: Connection, model: string): boolean {
  const known = vectorModelRow(connection, model);
  if (known === null) return false;
  connection.prepare('DELETE FROM vector WHERE model_id = ?').run(known.id);
  connection.prepare('DELETE FROM vector_model WHERE id = ?').run(known.id);
  return true;
}

export function chainsWithoutVector(
  connection: Connection,
  model: string,
  limit: number,
  after = '',
): ChainToEmbed[] {
  return connection
    .prepare(
      `SELECT chain.chain_id, revision.digest, revision.content FROM chain
       JOIN revision ON revision.id = chain.head_id
       WHERE chain.chain_id > ? AND NOT EXISTS (
         SELECT 1 FROM vector JOIN vector_model ON vector_model.id = vector.model_id
         WHERE vector.chain = chain.id AND vector_model.model = ? AND vector IS NOT NULL)
       ORDER BY chain.chain_id LIMIT ?`,
    )
    .all(after, model, limit)
    .map((row) => ({
      chainId: String(row.chain_id),
      digest: String(row.digest),
      content: readStored<ChainContent>(String(row.content), `chain ${String(row.chain_id)}`),
    }));
}

export function putVectors(connection: Connection, model: string, vectors: readonly ChainVector[]): number {
  const known = vectorModelRow(connection, model);
  if (known === null) throw noSuchModel(model);
  const live = connection.prepare(
    `SELECT chain.id FROM chain JOIN revision ON revision.id = chain.head_id
     WHERE chain.chain_id = ? AND revision.digest = ?`,
  );
  const put = connection.prepare('INSERT OR REPLACE INTO vector (model_id, chain, vector) VALUES (?, ?, ?)');
  let kept = 0;
  for (const { chainId, digest, vectors: texts } of vectors) {
    for (const vector of texts) requireComparable(known, vector);
    const chain = live.get(chainId, digest);
    if (chain === undefined) continue;
    const { buffer } = packVectors(texts).bytes;
    put.run(known.id, Number(chain.id), new Uint8Array(buffer));
    kept += 1;
  }
  return kept;
}

function toModel(row: SqlRow): VectorModel {
  return {
    model: String(row.model),
    dimensions: Number(row.dimensions),
    floor: Number(row.floor),
    ceiling: Number(row.ceiling),
  };
}
