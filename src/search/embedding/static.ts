import { readFile } from 'node:fs/promises';
import { packageFile } from '../base/package-root.ts';
import type { Embedder } from '../ports/embedder.ts';
import { wordPieces } from './word-pieces.ts';

/** Raised when another table ships, so that vectors made with the older one are made again. */
const NAME = 'static:minilm-pieces-1';
const FOLDER = 'assets/static-vectors';
const BATCH_SIZE = 512;

/** A row of numbers for each word piece: `vectors` holds them as bytes, `scales` what a byte of each row is worth. */
interface Table {
  pieces: ReadonlyMap<string, number>;
  vectors: Int8Array;
  scales: Float32Array;
  dimensions: number;
}

/**
 * Vectors from a table of word pieces that ships with kairos (docs/search.md): a text's vector is the mean of its pieces'
 * vectors. English; a text without a known piece gives zeros. The table is read on the first text.
 */
export function staticEmbedder(): Embedder {
  let table: Promise<Table> | null = null;
  return {
    name: NAME,
    batchSize: BATCH_SIZE,
    async embed(texts) {
      table ??= readTable();
      const loaded = await table;
      return texts.map((text) => meanOf(wordPieces(text, loaded.pieces), loaded));
    },
  };
}

function meanOf(rows: readonly number[], { vectors, scales, dimensions }: Table): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const row of rows) {
    const scale = (scales[row] ?? 0) / rows.length;
    const start = row * dimensions;
    for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] as number) + scale * (vectors[start + at] as number);
  }
  return sum;
}

async function readTable(): Promise<Table> {
  const [vocabulary, vectors, scales] = await Promise.all(
    ['vocabulary.txt', 'vectors.i8', 'scales.f32'].map((name) => readFile(packageFile(`${FOLDER}/${name}`))),
  );
  if (vocabulary === undefined || vectors === undefined || scales === undefined) throw new Error('no table');
  const pieces = new Map<string, number>();
  for (const [row, piece] of vocabulary.toString('utf8').trimEnd().split('\n').entries()) pieces.set(piece, row);
  return {
    pieces,
    vectors: new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length),
    scales: new Float32Array(new Uint8Array(scales).buffer),
    dimensions: vectors.length / pieces.size,
  };
}
