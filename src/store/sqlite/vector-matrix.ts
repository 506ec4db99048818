import { cosineAt, unit } from '../../search/cosine.ts';
import { NEAREST } from '../../search/meaning.ts';
import { type Near, nearest } from '../../search/nearest.ts';
import type { QueryVectors } from '../../search/vectors.ts';
import { otherDimensions } from '../vector-rules.ts';
import type { Connection } from './driver.ts';
import { vectorModelRow } from './vectors.ts';

/** All vectors of one model in one piece of memory, since SQLite reads them many times slower than they are compared. */
interface Matrix {
  dimensions: number;
  /** Greatest number of the rows that were taken over. */
  newest: number;
  values: Float32Array;
  /** Row id of the chain in each row of the matrix, and of its space; -1 where the vector went away. */
  chains: number[];
  spaces: number[];
  rowOf: Map<number, number>;
}

const LEAST_ROWS = 64;

/**
 * The chains of the spaces that are nearest to each phrasing by cosine, above the model's floor, `NEAREST` at most: chain
 * row id and cosine. Null when the store has not that model. An exact scan. To be run in one read transaction.
 */
export function nearestChains(
  connection: Connection,
  { model, phrasings }: QueryVectors,
  spaces: readonly number[],
): Map<number, number>[] | null {
  const known = vectorModelRow(connection, model.model);
  if (known === null) return null;
  const matrix = upToDate(connection, known.id, known.dimensions);
  const allowed = new Set(spaces);
  return phrasings.map((phrasing) => {
    if (phrasing.length !== known.dimensions) throw otherDimensions(known, phrasing.length);
    const query = unit(phrasing);
    const near = nearest(matrix.chains.length, NEAREST, known.floor, (row) =>
      allowed.has(matrix.spaces[row] as number)
        ? cosineAt(matrix.values, row * known.dimensions, query)
        : null,
    );
    return new Map(near.map(({ row, cosine }: Near) => [matrix.chains[row] as number, cosine]));
  });
}

const matrices = new WeakMap<Connection, Map<number, Matrix>>();

/** Takes over what changed since this connection last looked. Models that are gone are let go. */
function upToDate(connection: Connection, model: number, dimensions: number): Matrix {
  let known = matrices.get(connection);
  if (known === undefined) {
    known = new Map();
    matrices.set(connection, known);
  }
  let matrix = known.get(model);
  if (matrix === undefined) {
    // One model is in use; another's vectors need not stay in memory.
    known.clear();
    matrix = {
      dimensions,
      newest: 0,
      values: new Float32Array(LEAST_ROWS * dimensions),
      chains: [],
      spaces: [],
      rowOf: new Map(),
    };
    known.set(model, matrix);
  }
  takeOver(connection, model, matrix);
  return matrix;
}

/** Rows come in pages, so that a great store is not in memory twice. */
const PAGE = 2048;

function takeOver(connection: Connection, model: number, matrix: Matrix): void {
  const page = connection.prepare(
    `SELECT vector.id, vector.chain, chain.space_id, vector.vector FROM vector JOIN chain ON chain.id = vector.chain
     WHERE model_id = ? AND vector.id > ? ORDER BY vector.id LIMIT ${PAGE}`,
  );
  for (;;) {
    const rows = page.all(model, matrix.newest);
    for (const { id, chain, space_id, vector } of rows) {
      place(matrix, Number(chain), Number(space_id), vector as Uint8Array | null);
      matrix.newest = Number(id);
    }
    if (rows.length < PAGE) return;
  }
}

function place(matrix: Matrix, chain: number, space: number, vector: Uint8Array | null): void {
  let row = matrix.rowOf.get(chain);
  if (vector === null) {
    if (row !== undefined) matrix.spaces[row] = -1;
    return;
  }
  if (row === undefined) {
    row = matrix.chains.length;
    matrix.rowOf.set(chain, row);
    matrix.chains.push(chain);
  }
  matrix.spaces[row] = space;
  const offset = row * matrix.dimensions;
  if (offset + matrix.dimensions > matrix.values.length) {
    const larger = new Float32Array(matrix.values.length * 2);
    larger.set(matrix.values);
    matrix.values = larger;
  }
  new Uint8Array(matrix.values.buffer).set(vector, offset * Float32Array.BYTES_PER_ELEMENT);
}
