import { stemmer } from 'stemmer';

/** The term that a folded word is indexed and looked up by; a language without a stemmer keeps the word. */
export function stem(word: string): string {
  if (/^[a-z]+$/.test(word)) return stemmer(word);
  if (/^\p{Script=Cyrillic}+$/u.test(word)) return russian(word);
  if (/^\p{Script=Arabic}+$/u.test(word)) return arabic(word);
  return word;
}

/**
 * Light10 of L. Larkey, L. Ballesteros and M. Connell ("Light stemming for Arabic information retrieval",
 * 2007), on folded text: removes the article and the conjunction before it, then common endings, while two
 * letters remain.
 */
function arabic(word: string): string {
  let stem = word;
  const prefix = PREFIXES.find((start) => stem.startsWith(start) && stem.length - start.length >= 2);
  if (prefix !== undefined) stem = stem.slice(prefix.length);
  else if (stem.startsWith('و') && stem.length >= 4) stem = stem.slice(1);
  for (const ending of SUFFIXES) {
    if (stem.endsWith(ending) && stem.length - ending.length >= 2) stem = stem.slice(0, -ending.length);
  }
  return stem;
}

const PREFIXES = ['وال', 'بال', 'كال', 'فال', 'ال', 'لل'];
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي'];

/**
 * A light stemmer for Russian after L. Dolamic and J. Savoy ("Stemming approaches for East European
 * languages", CLEF 2007): removes the longest inflectional ending of nouns, adjectives and verbs that leaves
 * a stem of at least three letters, then a soft sign. Input: folded lower-case Cyrillic.
 */
function russian(word: string): string {
  for (const ending of ENDINGS) {
    if (word.length - ending.length >= 3 && word.endsWith(ending)) {
      return soften(word.slice(0, -ending.length));
    }
  }
  return soften(word);
}

const ENDINGS: readonly string[] = (
  'иями ями ами ием иям иях ого его ому ему ыми ими ость ости остью ение ения ению ением ений ' +
  'ать ять ить еть уть ал ала ало али ил ила ило или ает яет ают яют ует уют ите айте ' +
  'ая яя ую юю ое ее ый ий ой ей ые ие ом ем ам ям ах ях ов ев ью ья ия ию ии ' +
  'а е и о у ы э ю я й'
)
  .split(' ')
  .sort((left, right) => right.length - left.length);

function soften(stem: string): string {
  return stem.length > 3 && stem.endsWith('ь') ? stem.slice(0, -1) : stem;
}
