/** A word quoted for a POSIX shell, where it needs quotes. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Makes a `kairos …` command that works as printed. Arrays are words; `last` follows the options that are carried along. */
export type CommandLine = (words: readonly string[], last?: readonly string[]) => string;

let findProgram: (() => readonly string[]) | null = null;
let program = 'kairos';
let carriedHere: readonly string[] = [];

/** Sets how printed commands start, such as `npx kairos-protocols`. Looked up when the first one is printed. */
export function setProgram(words: (() => readonly string[]) | undefined): void {
  findProgram = words ?? null;
  carriedHere = [];
  program = 'kairos';
}

/** `kairos`, as a person can type it here. */
export function programName(): string {
  if (findProgram !== null) program = findProgram().map(shellQuote).join(' ');
  findProgram = null;
  return program;
}

/**
 * Every command that kairos prints comes from here. `carried`: the options without which the command means something else
 * (`--store`, `--space`, …).
 */
export function commandLine(carried: readonly string[] = []): CommandLine {
  return (words, last = []) => [programName(), ...[...words, ...carried, ...last].map(shellQuote)].join(' ');
}

/** Sets the options that `hereCommand` carries along: those of the store and space that this program works with. */
export function carryOptions(options: readonly string[]): void {
  carriedHere = options;
}

/** A command for the store and space of this program, for code that has no caller's `commandLine`. */
export const hereCommand: CommandLine = (words, last) => commandLine(carriedHere)(words, last);

/** For a caller whose store and space are the defaults. */
export const plainCommand: CommandLine = commandLine();

/** Whether a text fits a pattern in which `*` is any text. */
export function globs(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(first)) return false;
  const last = rest.pop()!;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
