const NEWLINE = 0x0a;

/**
 * Cuts bytes that come in pieces into lines. A line is given without its end; one of more than `most` bytes is not kept, and
 * told once. What comes after the last newline is given by `end`.
 */
export function lineReader(
  most: number,
  { onLine, onTooLong }: { onLine: (line: Buffer) => void; onTooLong: () => void },
): { push(chunk: Buffer): void; end(): void } {
  let held: Buffer[] = [];
  let length = 0;

  const take = (piece: Buffer) => {
    length += piece.length;
    if (length <= most) held.push(piece);
    else held = [];
  };
  const finish = () => {
    if (length > most) onTooLong();
    else onLine(held.length === 1 ? held[0]! : Buffer.concat(held));
    held = [];
    length = 0;
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
    },
    end() {
      if (length > 0) finish();
    },
  };
}
