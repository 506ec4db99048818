import { bestCosine, cosinesOf, dotAt, nearest, packVectors, rowLength } from '../../search/cosine.ts';
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
  bytes: Int8Array;
  /** The beginnings of all vectors in one piece, for a first look at many. */
  heads: Int8Array;
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
/** Numbers of a vector that a first look compares. The static table is sorted by what its dimensions carry. */
const HEAD = 64;
/** From this number of vectors on, a first look selects the chains to compare in full... */
const MANY = 20_000;
/** ...and this is their number. */
const SHORTLIST = 1000;

/**
 * The chains of the spaces that are nearest to each phrasing by cosine, above the model's floor, `NEAREST` at most, by
 * chain row id. Null when the store has not that model. To be run in one read transaction.
 */
export function nearestChains(
  connection: Connection,
  { model, phrasings }: QueryVectors,
  spaces: readonly number[],
): Map<number, Cosines>[] | null {
  const known = vectorModelRow(connection, model.model);
  if (known === null) return null;
  const matrix = upToDate(connection, known.id, known.dimensions);
  const allowed = new Set(spaces);
  return phrasings.map((vectors) => {
    for (const vector of vectors) {
      if (vector.length !== known.dimensions) throw otherDimensions(known, vector.length);
    }
    const query = packVectors(vectors);
    const whole = query.bytes.subarray(0, known.dimensions);
    const length = rowLength(whole, 0, known.dimensions);
    if (length === 0) return new Map();
    const lengthOf = (row: number) => matrix.lengths[row] as number;
    const entries = shortlist(matrix, whole, allowed);
    const near = nearest(entries.length, NEAREST, known.floor, (at) => {
      const { space, first, count } = entries[at] as Entry;
      return allowed.has(space)
        ? bestCosine({ bytes: matrix.bytes, first, count }, whole, lengthOf, length).best
        : null;
    });
    return new Map(
      near.map(({ row }) => {
        const { chain, first, count } = entries[row] as Entry;
        return [chain, cosinesOf({ bytes: matrix.bytes, first, count }, query, lengthOf)];
      }),
    );
  });
}

/** Returns the chains to compare in full: all, or those with the nearest beginnings when there are many. */
function shortlist(matrix: Matrix, query: Int8Array, allowed: ReadonlySet<number>): readonly Entry[] {
  const { chains, rows, dimensions, heads, lengths } = matrix;
  if (rows < MANY || dimensions <= HEAD) return chains;
  const head = query.subarray(0, HEAD);
  const found = nearest(chains.length, SHORTLIST, 0, (at) => {
    const { space, first, count } = chains[at] as Entry;
    if (!allowed.has(space)) return null;
    let best = 0;
    for (let row = first; row < first + Math.max(1, count - 1); row += 1) {
      const length = lengths[row] as number;
      if (length > 0) best = Math.max(best, dotAt(heads, row * HEAD, head) / length);
    }
    return best;
  });
  return found.map(({ row }) => chains[row] as Entry);
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
      bytes: new Int8Array(LEAST_ROWS * dimensions),
      heads: new Int8Array(LEAST_ROWS * HEAD),
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
  const { dimensions } = matrix;
  const count = Math.floor(vectors.length / dimensions);
  makeRoom(matrix, matrix.rows + count);
  matrix.bytes.set(
    new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length),
    matrix.rows * dimensions,
  );
  for (let row = matrix.rows; row < matrix.rows + count; row += 1) {
    const start = row * dimensions;
    matrix.lengths[row] = rowLength(matrix.bytes, start, dimensions);
    matrix.heads.set(matrix.bytes.subarray(start, start + Math.min(HEAD, dimensions)), row * HEAD);
  }
  const entry = { chain, space, first: matrix.rows, count };
  matrix.chains.push(entry);
  matrix.entryOf.set(chain, entry);
  matrix.rows += count;
}

function makeRoom(matrix: Matrix, rows: number): void {
  const room = matrix.lengths.length;
  if (rows <= room) return;
  const wanted = Math.max(rows, room * 2);
  matrix.bytes = grown(matrix.bytes, new Int8Array(wanted * matrix.dimensions));
  matrix.heads = grown(matrix.heads, new Int8Array(wanted * HEAD));
  matrix.lengths = grown(matrix.lengths, new Float64Array(wanted));
}

function grown<T extends Int8Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
