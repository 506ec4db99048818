import { parseScript } from './commands.ts';

/** Words of sentences that are no words of commands when they stand alone. */
const SENTENCE_WORDS = new Set(
  'a an and are as be been before by final has have into is must of or our should that the their then these this to was were when which with you your'.split(
    ' ',
  ),
);

/**
 * Whether what stands in an old proof line is a sentence about a proof and no command that could be one. In doubt it is
 * a sentence: a human then looks at it, while a sentence run as a command fails on whoever walks it.
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
