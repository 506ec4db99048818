import { canonical } from '../base/canonical.ts';
import { jsonOf } from '../base/json.ts';
import type { LedgerEntry, Seal } from './entry.ts';

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

/**
 * The line of an entry or a seal that was stored as `JSON.stringify` writes it. A text with another form (no
 * JSON, a repeated key, white space) was changed; it is kept unchanged for a verifier to find. In one line,
 * tabs replace line feeds: both are white space, and neither is allowed in a text.
 */
export function restoreLine(text: string): string {
  const value = jsonOf(text);
  return value !== undefined && JSON.stringify(value) === text
    ? lineOf(value as LedgerEntry | Seal)
    : text.replaceAll('\n', '\t');
}

/** Splits at line feeds only; the one at the end of the last line starts no other. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** What has no RFC 8785 text (a lone surrogate in a store that was tampered with) is still written, and then found. */
function lineOf(value: LedgerEntry | Seal): string {
  try {
    return canonical(value);
  } catch {
    return JSON.stringify(value);
  }
}
