import type { Cosines } from './rank.ts';

/** Vectors as bytes, one after the other: each scaled so that its greatest number is 127. A cosine does not mind. */
export interface PackedVectors {
  bytes: Int8Array;
  dimensions: number;
}

const BYTE_MAX = 127;

export function packVectors(vectors: readonly Float32Array[]): PackedVectors {
  const dimensions = vectors[0]?.length ?? 0;
  const bytes = new Int8Array(vectors.length * dimensions);
  for (const [row, vector] of vectors.entries()) {
    let most = 0;
    for (const value of vector) most = Math.max(most, Math.abs(value));
    if (most === 0) continue;
    // By index: an iterator of pairs costs a mint as much as its embedding.
    for (let at = 0; at < vector.length; at += 1) {
      bytes[row * dimensions + at] = Math.round(((vector[at] as number) / most) * BYTE_MAX);
    }
  }
  return { bytes, dimensions };
}

/** The length of one row of packed vectors. */
export function rowLength(bytes: Int8Array, offset: number, dimensions: number): number {
  let squares = 0;
  for (let at = offset; at < offset + dimensions; at += 1) squares += (bytes[at] as number) ** 2;
  return Math.sqrt(squares);
}

/** The dot product of `count` numbers of a row and of a query. */
export function dotAt(
  bytes: Int8Array,
  offset: number,
  query: Int8Array,
  start = 0,
  count = query.length,
): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const end = count - (count % 4);
  let at = 0;
  // Four sums that do not wait for each other: this loop is what a search over many vectors costs.
  for (; at < end; at += 4) {
    a += (query[start + at] as number) * (bytes[offset + at] as number);
    b += (query[start + at + 1] as number) * (bytes[offset + at + 1] as number);
    c += (query[start + at + 2] as number) * (bytes[offset + at + 2] as number);
    d += (query[start + at + 3] as number) * (bytes[offset + at + 3] as number);
  }
  for (; at < count; at += 1) a += (query[start + at] as number) * (bytes[offset + at] as number);
  return a + b + (c + d);
}

/** Returns a copy of a vector, scaled to length 1. A zero vector stays unchanged. */
export function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return length === 0 ? Float32Array.from(vector) : vector.map((value) => value / length);
}

/** The cosine of two vectors of length 1. */
export function cosine(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
}

/** The rows of one chain: its texts, and last the whole of it. */
interface ChainRows {
  bytes: Int8Array;
  first: number;
  count: number;
}

/** The greatest cosine of one query with a chain's texts, and which one that is. Rows or queries of zeros are near nothing. */
export function bestCosine(
  { bytes, first, count }: ChainRows,
  query: Int8Array,
  lengthOf: (row: number) => number,
  queryLength: number,
): { best: number; part: number } {
  const dimensions = query.length;
  let best = 0;
  let part = 0;
  for (let at = 0; at < Math.max(1, count - 1); at += 1) {
    const row = first + at;
    const length = lengthOf(row) * queryLength;
    const cosine = length === 0 ? 0 : dotAt(bytes, row * dimensions, query) / length;
    if (cosine > best) {
      best = cosine;
      part = at;
    }
  }
  return { best, part };
}

/** All cosines of a phrasing (its whole first, then its passages) with a chain. */
export function cosinesOf(
  rows: ChainRows,
  { bytes, dimensions }: PackedVectors,
  lengthOf = (row: number) => rowLength(rows.bytes, row * dimensions, dimensions),
): Cosines {
  const [query = new Int8Array(dimensions), ...passages] = rowsOf({ bytes, dimensions });
  const { best, part } = bestCosine(rows, query, lengthOf, rowLength(query, 0, dimensions));
  const last = { ...rows, first: rows.first + rows.count - 1, count: 1 };
  const whole = bestCosine(last, query, lengthOf, rowLength(query, 0, dimensions)).best;
  const nearest = passages.map(
    (each) => bestCosine(rows, each, lengthOf, rowLength(each, 0, dimensions)).best,
  );
  return { best, part, whole, passage: Math.max(0, ...nearest) };
}

function rowsOf({ bytes, dimensions }: PackedVectors): Int8Array[] {
  const count = dimensions === 0 ? 0 : bytes.length / dimensions;
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * dimensions, (at + 1) * dimensions));
}

/** What may be near, by the number of its row. */
interface NearRow {
  row: number;
  cosine: number;
}

/**
 * The `limit` greatest of the cosines above `floor`, greatest first and equal ones by row. `cosineOf` is
 * called for every row and returns null for a row to skip.
 */
export function nearest(
  rows: number,
  limit: number,
  floor: number,
  cosineOf: (row: number) => number | null,
): NearRow[] {
  const found: NearRow[] = [];
  let least = floor;
  for (let row = 0; row < rows; row += 1) {
    const cosine = cosineOf(row);
    if (cosine === null || cosine <= least) continue;
    found.push({ row, cosine });
    // Sorting now and then is faster than keeping thousands of rows in order.
    if (found.length === limit * 2) least = cut(found, limit);
  }
  cut(found, limit);
  return found;
}

/** Keeps the `limit` greatest rows. Returns the least of them, or -Infinity when there are fewer. */
function cut(found: NearRow[], limit: number): number {
  found.sort((left, right) => right.cosine - left.cosine || left.row - right.row);
  found.length = Math.min(found.length, limit);
  return found[limit - 1]?.cosine ?? Number.NEGATIVE_INFINITY;
}
