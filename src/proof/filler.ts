import { FILLER_WORDS } from './filler-words.ts';
import { fold, foldedWords } from './fold.ts';

let known: Set<string> | undefined;
let longest = 0;

/** Whether a text consists only of filler ("ok, all done"), in any of the listed languages. */
export function isFiller(text: string): boolean {
  const words = foldedWords(text).flatMap(
    (word) => word.match(/\p{Script=Latin}+|\P{Script=Latin}+/gu) ?? [],
  );
  return words.length > 0 && words.every(isFillerWord);
}

/** A word of the list; outside the Latin script also several written together, as languages without spaces do. */
function isFillerWord(word: string): boolean {
  const list = load();
  if (list.has(word)) return true;
  if (/^\p{Script=Latin}/u.test(word)) return false;
  const reachable = new Array<boolean>(word.length + 1).fill(false);
  reachable[0] = true;
  for (let start = 0; start < word.length; start += 1) {
    if (!reachable[start]) continue;
    for (let end = start + 1; end <= Math.min(word.length, start + longest); end += 1) {
      if (list.has(word.slice(start, end))) reachable[end] = true;
    }
  }
  return reachable[word.length] === true;
}

function load(): Set<string> {
  if (known === undefined) {
    known = new Set(Object.values(FILLER_WORDS).flatMap((words) => fold(words).split(/\s+/).filter(Boolean)));
    longest = Math.max(...Array.from(known, (word) => word.length));
  }
  return known;
}
