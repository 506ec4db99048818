import { collapseSpace } from './blocks.ts';

/** A code span of one backtick each, no space at its ends (CommonMark 6.1): its text stays as it is written. */
const CODE = /`([^` ](?:[^`]*[^` ])?)`/g;
/** Underscores inside a word mean nothing (CommonMark 6.2). */
const IN_WORD = /(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/g;
/** What may be markup in all else, GFM's literal autolinks included. */
const MAY_BE_MARKUP = /[\\`*_~[\]<>@]|&[#A-Za-z]|:\/\/|www/i;

/** The plain text of a heading whose markdown is given; null when it holds more than words and simple code spans. */
export function plainHeadingText(raw: string): string | null {
  const hasCode = raw.includes('`');
  const words = (hasCode ? raw.replace(CODE, '') : raw).replace(IN_WORD, '');
  if (MAY_BE_MARKUP.test(words)) return null;
  return collapseSpace(hasCode ? raw.replace(CODE, '$1') : raw);
}
