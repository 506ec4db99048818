import { arabic } from './arabic.ts';
import { porter } from './porter.ts';
import { russian } from './russian.ts';

/** The term that a folded word is indexed and looked up by; a language without a stemmer keeps the word. */
export function stem(word: string): string {
  if (/^[a-z]+$/.test(word)) return porter(word);
  if (/^\p{Script=Cyrillic}+$/u.test(word)) return russian(word);
  if (/^\p{Script=Arabic}+$/u.test(word)) return arabic(word);
  return word;
}
