import { canonical } from '../base/canonical.ts';
import type { LedgerEntry, Seal } from './entry.ts';
import { type LedgerLine, readLine } from './line.ts';

/** A run as JSONL: one entry a line, each as RFC 8785 text, the seal last. Ends with a line feed. */
export function toJsonl(entries: readonly LedgerEntry[], seal: Seal | null): string {
  return toLines(entries, seal)
    .map((line) => `${line}\n`)
    .join('');
}

/** The lines of `toJsonl`, without line feeds. */
export function toLines(entries: readonly LedgerEntry[], seal: Seal | null): string[] {
  return [...entries, ...(seal === null ? [] : [seal])].map(lineOf);
}

/** The line of an entry or a seal that was kept as JSON; what is no JSON any more comes back in one line, as it stands. */
export function restoreLine(text: string): string {
  try {
    return lineOf(JSON.parse(text));
  } catch {
    return text.replaceAll('\n', '\\n');
  }
}

/** Splits at line feeds only; the one at the end of the last line starts no other. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Reads JSONL line by line. Never throws: what is wrong with a line stands in its `fault`. */
export function parseJsonl(text: string): LedgerLine[] {
  return splitLines(text).map((line, index) => readLine(line, index + 1));
}

/** What has no RFC 8785 text (a lone surrogate in a store that was tampered with) is still written, and then found. */
function lineOf(value: LedgerEntry | Seal): string {
  try {
    return canonical(value);
  } catch {
    return JSON.stringify(value);
  }
}
