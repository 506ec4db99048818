import type { EntryData, Json } from '../ledger/entry.ts';

/** The text of an entry: a line, further lines under it, and whether something went wrong. */
export interface Told {
  text: string;
  details?: string[];
  bad?: boolean;
}
/** Describes an entry of one kind; `step` names its step. Raw texts. */
export type Teller = (data: EntryData, step: string) => Told;

/** Lines of output or text shown under an entry; the export has all of them. */
const SHOWN_LINES = 10;

/** Names of environment variables, as a part of a line. */
export function environment(names: Json | undefined): string {
  return Array.isArray(names) && names.length > 0 ? `, environment ${names.map(text).join(', ')}` : '';
}

/** A text under its name; nothing for an empty text. */
export function quoted(name: string, value: Json | undefined): string[] {
  const shown = lines(value);
  return shown.length === 0 ? [] : [`${name}:`, ...shown.map((line) => `  ${line}`)];
}

/** The lines of a text, without the middle of a long one. */
export function lines(value: Json | undefined): string[] {
  if (typeof value !== 'string' || value.trim() === '') return [];
  const all = value.replace(/\n+$/, '').split('\n');
  if (all.length <= SHOWN_LINES) return all;
  const half = SHOWN_LINES / 2;
  return [...all.slice(0, half), `(${all.length - SHOWN_LINES} lines left out)`, ...all.slice(-half)];
}

/** Any value in one line. */
export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The lines of an object in an entry, if there is one. */
export function ofObject(value: Json | undefined, tell: (data: EntryData) => string[]): string[] {
  return value === null || typeof value !== 'object' || Array.isArray(value) ? [] : tell(value);
}
