/** The term that a folded word is indexed and looked up by; a language without a stemmer keeps the word. */
export function stem(word: string): string {
  if (/^[a-z]+$/.test(word)) return porter(word);
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

/**
 * The English stemmer of M. F. Porter, "An algorithm for suffix stripping" (Program 14/3, 1980), as in FTS5's
 * `porter`. Input: lower-case a-z; words of one or two letters stay unchanged.
 */
function porter(word: string): string {
  if (word.length < 3) return word;
  let stem = step1a(word);
  stem = step1b(stem);
  stem = step1c(stem);
  stem = replaceLongest(stem, STEP_2, 0);
  stem = replaceLongest(stem, STEP_3, 0);
  stem = step4(stem);
  return step5(stem);
}

function step1a(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  if (word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

function step1b(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith('ed') ? 'ed' : word.endsWith('ing') ? 'ing' : '';
  const stem = word.slice(0, word.length - suffix.length);
  if (suffix === '' || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function step1c(word: string): string {
  return word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

const STEP_2: readonly [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const STEP_3: readonly [string, string][] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const STEP_4 = 'ement ment able ible ance ence ant ent al er ic ion ou ism ate iti ous ive ize'
  .split(' ')
  .map((suffix): [string, string] => [suffix, '']);

function step4(word: string): string {
  const suffix = longest(word, STEP_4)?.[0];
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  if (measure(stem) <= 1 || (suffix === 'ion' && !/[st]$/.test(stem))) return word;
  return stem;
}

function step5(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const rest = stem.slice(0, -1);
    const m = measure(rest);
    if (m > 1 || (m === 1 && !endsShort(rest))) stem = rest;
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** The longest matching suffix decides, even if its condition then fails. */
function replaceLongest(word: string, table: readonly [string, string][], above: number): string {
  const rule = longest(word, table);
  if (rule === undefined) return word;
  const stem = word.slice(0, -rule[0].length);
  return measure(stem) > above ? stem + rule[1] : word;
}

function longest(word: string, table: readonly [string, string][]): [string, string] | undefined {
  let best: [string, string] | undefined;
  for (const rule of table) {
    if (word.endsWith(rule[0]) && rule[0].length > (best?.[0].length ?? 0)) best = rule;
  }
  return best;
}

function isConsonant(word: string, at: number): boolean {
  const letter = word[at];
  if (letter === 'y') return at === 0 || !isConsonant(word, at - 1);
  return letter !== 'a' && letter !== 'e' && letter !== 'i' && letter !== 'o' && letter !== 'u';
}

/** How often a vowel sequence is followed by a consonant sequence: the m of [C](VC)^m[V]. */
function measure(stem: string): number {
  let m = 0;
  let vowelBefore = false;
  for (let at = 0; at < stem.length; at += 1) {
    const consonant = isConsonant(stem, at);
    if (consonant && vowelBefore) m += 1;
    vowelBefore = !consonant;
  }
  return m;
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at += 1) if (!isConsonant(stem, at)) return true;
  return false;
}

function endsDouble(stem: string): boolean {
  const last = stem.length - 1;
  return last > 0 && stem[last] === stem[last - 1] && isConsonant(stem, last);
}

/** Consonant, vowel, consonant at the end, the last not w, x or y. */
function endsShort(stem: string): boolean {
  const last = stem.length - 1;
  return (
    last >= 2 &&
    isConsonant(stem, last) &&
    !isConsonant(stem, last - 1) &&
    isConsonant(stem, last - 2) &&
    !/[wxy]$/.test(stem)
  );
}
