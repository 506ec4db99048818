import { parseScript } from './commands.ts';

/** Words of sentences that are not words of commands when they are alone. */
const SENTENCE_WORDS = new Set(
  'a an and are as be been before by final has have into is must of or our should that the their then these this to was were when which with you your'.split(
    ' ',
  ),
);

/**
 * Whether the text of an old proof line is a sentence about a proof instead of a command. If unsure, it is a
 * sentence: a person then checks it, while a sentence run as a command would fail in a run.
 */
export function readsAsProse(text: string): boolean {
  const filled = text.replace(/<[A-Za-z][^<>]*>/g, 'gap');
  if (/^\S*[^\s\x00-\x7f]/.test(filled) || parseScript(filled).errors.length > 0) return true;
  const words = filled
    .replace(/"[^"]*"|'[^']*'/g, 'quoted')
    .trim()
    .split(/\s+/);
  const [first = ''] = words;
  if (words.length > 4 && /\p{L}\.$/u.test(text)) return true;
  if (words.length < 3 || words.some((word) => /^--?[a-z]/i.test(word))) return false;
  if (/^[A-Z][a-z]+$/.test(first) || /[a-z][.!?]$/.test(text)) return true;
  return words.length >= 4 && words.slice(1).some((word) => SENTENCE_WORDS.has(word.replace(/[,;:]$/, '')));
}
