import { isFiller } from './filler.ts';
import { foldedLetters } from './fold.ts';

/** Shorter common parts are chance: a word or a name that the comment shares with its source. In UTF-16 units. */
const MIN_COPIED = 8;

/**
 * Longer texts are not searched for single lines of the source, because that is slow and such padding is
 * unlikely.
 */
const MAX_BY_LINES = 10_000;

/**
 * Whether a text is copied from a source. Only letters and digits count, without case and accents. A copy is
 * a line of the source, a part of it, or lines of it (or all of it) with only filler around them.
 */
export function isCopyOf(text: string, source: string): boolean {
  const copied = foldedLetters(text);
  const whole = foldedLetters(source);
  const lines = source.split('\n').map(foldedLetters);
  if (lines.includes(copied)) return true;
  if (copied.length >= MIN_COPIED && whole.includes(copied)) return true;
  const parts = [...new Set(copied.length > MAX_BY_LINES ? [whole] : [whole, ...lines])].filter(
    (part) => part.length >= MIN_COPIED,
  );
  const rest = parts
    .sort((a, b) => b.length - a.length)
    .reduce((remaining, part) => remaining.replaceAll(part, ' '), copied);
  return rest !== copied && (rest.trim() === '' || isFiller(rest));
}
