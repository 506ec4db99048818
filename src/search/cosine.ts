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

/** The dot product of a row and a query. */
export function dotAt(bytes: Int8Array, offset: number, query: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < query.length; at += 1) {
    sum += (query[at] as number) * (bytes[offset + at] as number);
  }
  return sum;
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
function bestCosine(
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

/** Vectors as bytes in one piece of memory, and the dot products of all of them with another. */
export interface VectorRows {
  /** Bytes of a row: its numbers, and zeros up to a multiple of eight. */
  stride: number;
  /** One row after the other; another array after `reserve`. */
  bytes(): Int8Array;
  /** Makes room for so many rows. */
  reserve(rows: number): void;
  /** The dot products with the first `rows` rows. The query has `stride` numbers. */
  dots(query: Int8Array, rows: number): Int32Array;
}

/** Eight numbers together by WebAssembly, in a tenth of the time; plain JavaScript without it (`node --jitless`, little address space). */
export function vectorRows(dimensions: number): VectorRows {
  const stride = Math.ceil(dimensions / LANES) * LANES;
  try {
    return stride <= QUERY_MAX ? wasmRows(stride) : plainRows(stride);
  } catch {
    return plainRows(stride);
  }
}

const LANES = 8;
const PAGE = 65_536;
/** The first page contains the query, then the results of one block of rows. */
const QUERY_MAX = PAGE / 2;
const BLOCK = QUERY_MAX / 4;

/** The part of WebAssembly that is used; the types of Node.js don't declare it. */
interface Wasm {
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer; grow(pages: number): number };
  Module: new (code: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: object,
  ) => { exports: { dot(query: number, rows: number, count: number, stride: number, out: number): void } };
}

function wasmRows(stride: number): VectorRows {
  const { Memory, Instance, Module } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
  const memory = new Memory({ initial: 2 });
  const { dot } = new Instance(new Module(CODE), { kairos: { memory } }).exports;
  return {
    stride,
    bytes: () => new Int8Array(memory.buffer, PAGE),
    reserve(rows) {
      const missing = PAGE + rows * stride - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    },
    dots(query, rows) {
      new Int8Array(memory.buffer, 0, stride).set(query);
      const found = new Int32Array(rows);
      for (let first = 0; first < rows; first += BLOCK) {
        const count = Math.min(BLOCK, rows - first);
        dot(0, PAGE + first * stride, count, stride, QUERY_MAX);
        found.set(new Int32Array(memory.buffer, QUERY_MAX, count), first);
      }
      return found;
    },
  };
}

export function plainRows(stride: number): VectorRows {
  let bytes = new Int8Array(PAGE);
  return {
    stride,
    bytes: () => bytes,
    reserve(rows) {
      if (rows * stride <= bytes.length) return;
      const larger = new Int8Array(Math.max(rows * stride, 2 * bytes.length));
      larger.set(bytes);
      bytes = larger;
    },
    dots(query, rows) {
      const found = new Int32Array(rows);
      for (let row = 0; row < rows; row += 1) found[row] = dotAt(bytes, row * stride, query);
      return found;
    },
  };
}

/**
 * The function `dot` of a module that imports `kairos.memory`, as `wat2wasm` makes it. `stride` is a multiple of eight.
 *
 *     (func (export "dot") (param $query i32) (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
 *       (local $at i32) (local $sum v128)
 *       (block (loop $next
 *         (br_if 1 (i32.eqz (local.get $count)))
 *         (local.set $sum (v128.const i32x4 0 0 0 0)) (local.set $at (i32.const 0))
 *         (loop $more
 *           (local.set $sum (i32x4.add (local.get $sum) (i32x4.dot_i16x8_s
 *             (v128.load8x8_s align=1 (i32.add (local.get $query) (local.get $at)))
 *             (v128.load8x8_s align=1 (i32.add (local.get $rows) (local.get $at))))))
 *           (local.tee $at (i32.add (local.get $at) (i32.const 8)))
 *           (br_if $more (i32.lt_u (local.get $stride))))
 *         (i32.store (local.get $out) (sum of the four lanes of $sum))
 *         out += 4, rows += stride, count -= 1
 *         (br $next))))
 */
const CODE = Uint8Array.from(
  Buffer.from(
    [
      '0061736d0100000001090160057f7f7f7f7f00021201066b6169726f73066d656d6f7279020001030201000707010364',
      '6f7400000a8a0101870102017f017b024003402002450d01fd0c00000000000000000000000000000000210641002105',
      '03402006200020056afd010000200120056afd010000fdba01fdae012106200541086a22052003490d000b20042006fd',
      '1b002006fd1b016a2006fd1b026a2006fd1b036a360200200441046a2104200120036a2101200241016b21020c000b0b',
      '0b',
    ].join(''),
    'hex',
  ),
);
