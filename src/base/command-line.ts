/** A word quoted for a POSIX shell, where it needs quotes. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Makes a `kairos …` command that works as printed. Arrays are words; `last` follows the options that are carried along. */
export type CommandLine = (words: readonly string[], last?: readonly string[]) => string;

/**
 * Every command that kairos prints comes from here. `carried`: the options without which the command means something else
 * (`--store`, `--space`, …).
 */
export function commandLine(carried: readonly string[] = []): CommandLine {
  return (words, last = []) => ['kairos', ...words, ...carried, ...last].map(shellQuote).join(' ');
}

/** For a caller whose store and space are the defaults. */
export const plainCommand: CommandLine = commandLine();
