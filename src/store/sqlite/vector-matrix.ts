import {
  cosinesOf,
  nearest,
  type PackedVectors,
  packVectors,
  rowLength,
  type VectorRows,
  vectorRows,
} from '../../search/cosine.ts';
import type { Cosines } from '../../search/rank.ts';
import { NEAREST, type QueryVectors } from '../../search/vectors.ts';
import { otherDimensions } from '../port.ts';
import type { Connection } from './driver.ts';
import { vectorModelRow } from './vectors.ts';

/** All vectors of one model in one piece of memory, since SQLite reads them many times slower than they are compared. */
interface Matrix {
  dimensions: number;
  /** Greatest id of the copied database rows. */
  newest: number;
  vectors: VectorRows;
  /** How long each vector is. */
  lengths: Float64Array;
  /** Vectors so far, those of chains that went away included. */
  rows: number;
  chains: Entry[];
  entryOf: Map<number, Entry>;
}

interface Entry {
  chain: number;
  /** Row id of the space; -1 where the vectors went away. */
  space: number;
  first: number;
  count: number;
}

const LEAST_ROWS = 64;

/**
 * The chains of the spaces that are nearest to each stretch by cosine, above the model's floor, `NEAREST` at most, by
 * chain row id. Null when the store has not that model. To be run in one read transaction.
 */
export function nearestChains(
  connection: Connection,
  { model, stretches }: QueryVectors,
  spaces: readonly number[],
): Map<number, Cosines>[] | null {
  const known = vectorModelRow(connection, model.model);
  if (known === null) return null;
  const matrix = upToDate(connection, known.id, known.dimensions);
  const allowed = new Set(spaces);
  return stretches.map((vectors) => {
    for (const vector of vectors) {
      if (vector.length !== known.dimensions) throw otherDimensions(known, vector.length);
    }
    const query = padded(packVectors(vectors).bytes, known.dimensions, matrix.vectors.stride);
    const whole = query.bytes.subarray(0, query.dimensions);
    const length = rowLength(whole, 0, whole.length);
    if (length === 0) return new Map();
    const dots = matrix.vectors.dots(whole, matrix.rows);
    const near = nearest(matrix.chains.length, NEAREST, known.floor, (at) => {
      const { space, first, count } = matrix.chains[at] as Entry;
      if (!allowed.has(space)) return null;
      let best = 0;
      // The last vector is that of the whole chain.
      for (let row = first; row < first + Math.max(1, count - 1); row += 1) {
        const own = matrix.lengths[row] as number;
        if (own > 0) best = Math.max(best, (dots[row] as number) / (own * length));
      }
      return best;
    });
    const bytes = matrix.vectors.bytes();
    const lengthOf = (row: number) => matrix.lengths[row] as number;
    return new Map(
      near.map(({ row }) => {
        const { chain, first, count } = matrix.chains[row] as Entry;
        return [chain, cosinesOf({ bytes, first, count }, query, lengthOf)];
      }),
    );
  });
}

/** Vectors with zeros up to another length. */
function padded(bytes: Int8Array, dimensions: number, stride: number): PackedVectors {
  const count = bytes.length / dimensions;
  const wider = new Int8Array(count * stride);
  for (let row = 0; row < count; row += 1) {
    wider.set(bytes.subarray(row * dimensions, (row + 1) * dimensions), row * stride);
  }
  return { bytes: wider, dimensions: stride };
}

const matrices = new WeakMap<Connection, Map<number, Matrix>>();

/** Returns the matrix with all changes since the last call. Drops the matrices of other models. */
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
      vectors: vectorRows(dimensions),
      lengths: new Float64Array(LEAST_ROWS),
      rows: 0,
      chains: [],
      entryOf: new Map(),
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

/** Vectors are only added; those of an older head of the chain are no longer looked at. */
function place(matrix: Matrix, chain: number, space: number, vectors: Uint8Array | null): void {
  const before = matrix.entryOf.get(chain);
  if (before !== undefined) before.space = -1;
  if (vectors === null) return;
  const { dimensions, vectors: kept } = matrix;
  const count = Math.floor(vectors.length / dimensions);
  makeRoom(matrix, matrix.rows + count);
  const { bytes } = padded(
    new Int8Array(vectors.buffer, vectors.byteOffset, count * dimensions),
    dimensions,
    kept.stride,
  );
  kept.bytes().set(bytes, matrix.rows * kept.stride);
  for (let row = 0; row < count; row += 1) {
    matrix.lengths[matrix.rows + row] = rowLength(bytes, row * kept.stride, kept.stride);
  }
  const entry = { chain, space, first: matrix.rows, count };
  matrix.chains.push(entry);
  matrix.entryOf.set(chain, entry);
  matrix.rows += count;
}

function makeRoom(matrix: Matrix, rows: number): void {
  matrix.vectors.reserve(rows);
  const room = matrix.lengths.length;
  if (rows <= room) return;
  const lengths = new Float64Array(Math.max(rows, room * 2));
  lengths.set(matrix.lengths);
  matrix.lengths = lengths;
}
