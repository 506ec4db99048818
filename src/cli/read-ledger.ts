import type { CliIo } from './io.ts';
import { readBytes } from './read-source.ts';

const MAX_LEDGER_BYTES = 256 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * The lines of an exported ledger. A line that is not UTF-8 comes back as one that no JSON reader takes: it has to be
 * found by its number, and must not turn into the text that it stands for.
 */
export async function readLedgerLines(path: string, io: Pick<CliIo, 'stdin' | 'cwd'>): Promise<string[]> {
  const bytes = await readBytes(path, io, { maxBytes: MAX_LEDGER_BYTES });
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    lines.push(decodeLine(bytes.subarray(start, end)));
    start = end + 1;
  }
  return lines;
}

function decodeLine(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return `${bytes.toString()}\ufffd`;
  }
}
