import { stemmer } from 'stemmer';

/**
 * The term that a folded word is indexed and looked up by. A word of another script or language than these is kept; its forms
 * are related when a request asks for one (`relatives` of `resolve.ts`).
 */
export function stem(word: string): string {
  if (/^[a-z]+$/.test(word)) return stemmer(word);
  if (/^\p{Script=Cyrillic}+$/u.test(word)) return russian(word);
  if (/^\p{Script=Arabic}+$/u.test(word)) return arabic(word);
  if (/^\p{Script=Hangul}+$/u.test(word)) return korean(word);
  if (/^\p{Script=Hebrew}+$/u.test(word)) return hebrew(word);
  const [, foreign, particle] = /^([^\p{Script=Hangul}]+)(\p{Script=Hangul}+)$/u.exec(word) ?? [];
  return foreign !== undefined && PARTICLES.includes(particle ?? '') ? stem(foreign) : word;
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
 * Cuts what Korean glues to a noun: particles, which come in rows (`서버를`, `서버에서는`), and the endings of `하다` that
 * make a verb of it (`갱신하고`, `갱신합니다`). Two syllables remain.
 */
function korean(word: string): string {
  let stem = word;
  for (;;) {
    const particle = PARTICLES.find((ending) => stem.length - ending.length >= 2 && stem.endsWith(ending));
    if (particle === undefined) return stem;
    stem = stem.slice(0, -particle.length);
  }
}

const PARTICLES: readonly string[] = (
  '을 를 이 가 은 는 의 에 와 과 도 만 로 야 나 들 요 기 ' +
  '으로 에서 에게 한테 께서 부터 까지 보다 처럼 마다 밖에 조차 마저 이나 이랑 라는 ' +
  '하고 하기 하는 하다 하면 하게 하여 해서 해야 한다 했다 할지 하지 되다 되는 되고 되기 된다 하려고 하려면 합니다 했습니다 하세요 하십시오 됩니다 되었습니다'
)
  .split(' ')
  .sort((left, right) => right.length - left.length);

/**
 * Cuts the endings of the plural and the feminine, then what Hebrew glues to the front of a word (and, the, in, to, from,
 * as, that), while three letters remain. A letter that has another form at the end of a word is written in its usual one.
 */
function hebrew(word: string): string {
  let stem = word.length > 4 ? word.replace(/(?:יות|יים|ים|ות|ית|ה)$/, '') : word;
  while (stem.length > 3 && /^[והבלמכש]/.test(stem)) stem = stem.slice(1);
  return stem.replace(/[ךםןףץ]$/, (letter) => FINAL[letter] ?? letter);
}

const FINAL: Readonly<Record<string, string>> = { ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ' };
