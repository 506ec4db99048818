/** Longest word that is cut into pieces, in code points; what is longer is data, not language. */
const WORD_MAX = 100;
const CONTINUES = '##';

/**
 * The pieces of a text, as the uncased BERT tokenizer cuts them: lower case, accents dropped, punctuation apart, the
 * longest known piece first. `pieces` maps a piece to its row; a word with a part that is in none of them gives nothing.
 */
export function wordPieces(text: string, pieces: ReadonlyMap<string, number>): number[] {
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
