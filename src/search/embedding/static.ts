import { readFile } from 'node:fs/promises';
import { packageFile } from '../../base/package-root.ts';
import { foldForSearch } from '../words.ts';
import type { Embedder } from './embedder.ts';

/** Raised when another table ships, so that vectors made with the older one are made again. */
const NAME = 'static:minilm-pieces-2';
const FOLDER = 'assets/static-vectors';
const BATCH_SIZE = 512;
const DIMENSIONS = 256;
/**
 * Cosines of unrelated texts end at the floor, and those of texts with the same meaning begin at the ceiling. Correct matches
 * in other words are in between. `isReadable` removes nonsense above the floor. Measured on both sets (docs/search.md).
 */
const FLOOR = 0.2;
const CEILING = 0.72;
/** Least share of known whole words. A request with fewer is nonsense, or in another language. */
const READABLE_SHARE = 0.5;

/** One vector for each word piece. `vectors`: bytes. `scales`: the factor of each row. */
interface Table {
  pieces: ReadonlyMap<string, number>;
  vectors: Int8Array;
  scales: Float32Array;
}

/**
 * Vectors from a table of word pieces that ships with kairos (docs/search.md): a text's vector is the mean of its pieces'
 * vectors. English; other texts, and requests that are nonsense, give zeros. The table is read on the first text of the process.
 */
export function staticEmbedder(): Embedder {
  return {
    name: NAME,
    batchSize: BATCH_SIZE,
    instant: { dimensions: DIMENSIONS, floor: FLOOR, ceiling: CEILING },
    async embed(texts, kind) {
      table ??= readTable();
      const loaded = await table;
      return texts.map((text) =>
        kind === 'query' && !isReadable(text, loaded)
          ? new Float32Array(DIMENSIONS)
          : meanOf(wordPieces(text, loaded.pieces), loaded),
      );
    },
  };
}

/** Whether enough words of three letters and more are known as wholes: any text can be put together from pieces. */
function isReadable(text: string, { pieces }: Table): boolean {
  const words = foldForSearch(text).match(/\p{L}{3,}/gu) ?? [];
  const known = words.filter((word) => pieces.has(word)).length;
  return known > 0 && known >= READABLE_SHARE * words.length;
}

function meanOf(rows: readonly number[], { vectors, scales }: Table): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  for (const row of rows) {
    const scale = (scales[row] ?? 0) / rows.length;
    const start = row * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at += 1) {
      sum[at] = (sum[at] as number) + scale * (vectors[start + at] as number);
    }
  }
  return sum;
}

/** Shared by all embedders of this process. */
let table: Promise<Table> | undefined;

async function readTable(): Promise<Table> {
  const read = (name: string) => readFile(packageFile(`${FOLDER}/${name}`));
  const [vocabulary, vectors, scales] = await Promise.all([
    read('vocabulary.txt'),
    read('vectors.i8'),
    read('scales.f32'),
  ]);
  const pieces = new Map<string, number>();
  for (const piece of vocabulary.toString('utf8').trimEnd().split('\n')) pieces.set(piece, pieces.size);
  return {
    pieces,
    vectors: new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length),
    scales: new Float32Array(new Uint8Array(scales).buffer),
  };
}

/** Longest word that is cut into pieces, in code points; what is longer is data, not language. */
const WORD_MAX = 100;
const CONTINUES = '##';

/**
 * The pieces of a text, as the uncased BERT tokenizer cuts them: lower case, accents dropped, punctuation apart, the
 * longest known piece first. `pieces` maps a piece to its row; a word with a part that is in none of them gives nothing.
 */
function wordPieces(text: string, pieces: ReadonlyMap<string, number>): number[] {
  const rows: number[] = [];
  const plain = text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '');
  for (const [word] of plain.matchAll(/[^\s\p{P}\p{S}\p{C}]+|[\p{P}\p{S}]/gu)) {
    for (const row of piecesOf(word, pieces) ?? []) rows.push(row);
  }
  return rows;
}

function piecesOf(word: string, pieces: ReadonlyMap<string, number>): number[] | null {
  const whole = pieces.get(word);
  if (whole !== undefined) return [whole];
  const letters = [...word];
  if (letters.length > WORD_MAX) return null;
  const rows: number[] = [];
  for (let start = 0; start < letters.length; ) {
    let end = letters.length;
    let row: number | undefined;
    for (; end > start && row === undefined; end -= 1) {
      const part = letters.slice(start, end).join('');
      row = pieces.get(start === 0 ? part : CONTINUES + part);
      if (row !== undefined) break;
    }
    if (row === undefined) return null;
    rows.push(row);
    start = end;
  }
  return rows;
}
