import { escapeForTerminal, escapeJson } from '../base/escape.ts';

/** A colour or weight, the only sequence that a line of ours may hold. */
const SGR = /(\x1b\[[\d;]*m)/;

/**
 * The last gate before a terminal (SPEC 8). Foreign text is escaped where it is put into a line; this escapes all
 * but line breaks, tabs and, when colours are on, colours once more, so that a forgotten place does no harm.
 */
export function gate(text: string, colored: boolean): string {
  const shown = (part: string) => escapeForTerminal(part, { keepNewlines: true, keepTabs: true });
  if (!colored) return shown(text);
  return text
    .split(SGR)
    .map((part, at) => (at % 2 === 1 ? part : shown(part)))
    .join('');
}

/** JSON of a value in one line. What a terminal would obey or hide stands as `\uXXXX`: the value is the same. */
export function terminalJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}
