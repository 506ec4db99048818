/**
 * A light stemmer for Russian after L. Dolamic and J. Savoy ("Stemming approaches for East European
 * languages", CLEF 2007): removes the longest inflectional ending of nouns, adjectives and verbs that leaves
 * a stem of at least three letters, then a soft sign. Input: folded lower-case Cyrillic.
 */
export function russian(word: string): string {
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
