import { graphemesOf } from '../base/escape.ts';
import { isObject, own } from '../base/json.ts';
import { memoize } from '../base/memoize.ts';
import { cleanText } from '../ledger/entry.ts';
import type { ProofOfWork } from '../protocol/schema.ts';
import { type ProofFacts, type ProofTools, rejectProof, type Verdict } from './verdict.ts';

type CommentDemand = Extract<ProofOfWork, { type: 'comment' }>;

const TRIVIAL = {
  wordless: 'solution.comment.text has no words. Describe what was done and what the result is.',
  repetition:
    'solution.comment.text repeats itself. Describe once, in your own words, what was done and what the result is.',
  filler: 'solution.comment.text only states that it is done. Describe what was done and what the result is.',
  copy: 'solution.comment.text copies the step or an earlier comment. Describe in your own words what was done and what the result is.',
} as const;

/** An account in words: long enough, then meaningful. Kept: `text`. */
export function validateComment(
  { comment: demand }: CommentDemand,
  payload: unknown,
  { stepText, previousComment }: ProofFacts,
  _tools: ProofTools,
): Verdict {
  if (!isObject(payload)) {
    return rejectProof('MISSING_FIELD', 'solution.comment is missing: it must be an object with text.');
  }
  const given = own(payload, 'text');
  if (typeof given !== 'string') {
    return rejectProof('MISSING_FIELD', 'solution.comment.text must be a string.');
  }
  const text = given.trim();
  const length = countGraphemes(text, demand.min_length);
  if (length < demand.min_length) {
    return rejectProof(
      'COMMENT_TOO_SHORT',
      `solution.comment.text has ${length} character${length === 1 ? '' : 's'}; at least ${demand.min_length} are needed.`,
    );
  }
  const triviality = trivialityOf(text, previousComment === null ? [stepText] : [stepText, previousComment]);
  if (triviality !== null) return rejectProof('COMMENT_TRIVIAL', TRIVIAL[triviality]);
  return { ok: true, proof: { text: cleanText(text) } };
}

/**
 * Grapheme clusters of a text (UAX #29), counted up to `limit`. Clusters that show nothing (zero-width, control and
 * tag characters) do not count, and a run of white space counts once: padding makes no text longer.
 */
export function countGraphemes(text: string, limit: number): number {
  let count = 0;
  let afterSpace = false;
  let at = 0;
  // Between two visible characters of ASCII there is always a boundary, and most texts need no more than these.
  for (; isPlain(text, at) && isPlain(text, at + 1); at += 1) {
    const isSpace = text.charAt(at) === ' ';
    if (!(isSpace && afterSpace)) count += 1;
    if (count >= limit) return count;
    afterSpace = isSpace;
  }
  for (const { segment } of graphemesOf(text.slice(at))) {
    const isSpace = /^\s+$/u.test(segment);
    if (!isSpace && /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]+$/u.test(segment)) continue;
    if (!(isSpace && afterSpace)) count += 1;
    if (count >= limit) return count;
    afterSpace = isSpace;
  }
  return count;
}

/** Space to tilde. */
function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x20 && code <= 0x7e;
}

/** Why a comment is trivial. */
type Triviality = 'wordless' | 'repetition' | 'filler' | 'copy';

/** Whether a comment is meaningful (null) or not (SPEC 1), in any language; `sources` are texts it must not copy. */
function trivialityOf(text: string, sources: readonly string[]): Triviality | null {
  const letters = foldedLetters(text);
  if (letters === '') return 'wordless';
  if (isRepetition(letters)) return 'repetition';
  if (isFiller(text)) return 'filler';
  return sources.some((source) => isCopyOf(text, source)) ? 'copy' : null;
}

/**
 * One character, word or phrase again and again, with or without spaces: the shortest period of the letters is at
 * most half of them. Found in linear time by the failure function of Knuth, Morris and Pratt.
 */
function isRepetition(letters: string): boolean {
  // Decomposed, because syllables of Hangul join where two repeats meet; without marks, because those of two repeats
  // change places there.
  const points = Array.from(letters.normalize('NFD').replace(/\p{M}/gu, ''));
  const failure = new Array<number>(points.length).fill(0);
  for (let at = 1, matched = 0; at < points.length; at += 1) {
    while (matched > 0 && points[at] !== points[matched]) matched = failure[matched - 1] ?? 0;
    if (points[at] === points[matched]) matched += 1;
    failure[at] = matched;
  }
  const period = points.length - (failure.at(-1) ?? 0);
  return period * 2 <= points.length;
}

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
function isCopyOf(text: string, source: string): boolean {
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

let known: Set<string> | undefined;
let longest = 0;

/** Whether a text consists only of filler ("ok, all done"), in any of the listed languages. */
function isFiller(text: string): boolean {
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
    known = new Set(
      Object.values(FILLER_WORDS).flatMap((words) => foldForComparison(words).split(/\s+/).filter(Boolean)),
    );
    longest = Math.max(...Array.from(known, (word) => word.length));
  }
  return known;
}

/**
 * Words that mean only "it is done". A comment of only these words is rejected; one other word makes it an
 * account. So words that name a subject (step, test, file, checked, verified) are not listed. By language
 * tag; languages without spaces list whole forms, which may also be joined.
 */
const FILLER_WORDS: Record<string, string> = {
  en: `i ok okay okey oki kk yes yep yeah yup no nope sure fine good great nice cool perfect excellent awesome super
    done complete completed completely finished finish success successful successfully succeeded fully all everything
    it its is was are were be been has have had ive im we weve did do does just now already very well so and the this
    that there here thing things thank thanks thankyou you please lgtm looks look go going works work worked working
    ready right alright true correct yay wow`,
  none: `n a na none null nil nothing undefined todo tbd wip xxx blah foo bar baz qux asdf asdfg asdfgh asdfjkl qwert
    qwerty lorem ipsum placeholder filler dummy test testing comment abc abcd abcde`,
  de: `ja nein gut alles klar fertig erledigt gemacht getan passt ist sind war wurde wurden hat habe ich es und das
    schon jetzt erfolgreich abgeschlossen bereit danke prima toll geht so weit soweit in ordnung`,
  fr: `oui non bon bien tout tous est ete cest a fait fini termine terminee accord daccord reussi succes avec parfait
    merci marche ca va pret jai et le la`,
  es: `si bien bueno todo esta fue ha sido hecho listo terminado terminada completo completado completada vale exito
    con exitosamente gracias ya perfecto y de acuerdo`,
  pt: `sim nao bem tudo certo foi esta feito pronto concluido concluida terminado sucesso com obrigado obrigada
    perfeito e ja`,
  it: `si no va bene tutto e stato fatto finito completato completata posto successo con grazie perfetto ho gia`,
  nl: `ja nee goed alles is klaar gedaan gereed prima afgerond voltooid het en`,
  pl: `tak nie dobrze wszystko jest gotowe zrobione wykonane zakonczone ukonczone i`,
  tr: `evet hayir tamam tamamlandi bitti yapildi iyi her sey oldu`,
  ru: `да нет хорошо все всё готово сделано сделал сделала выполнено выполнил выполнила завершено закончено успешно
    ок окей ладно понятно спасибо и уже было`,
  uk: `так ні добре все готово зроблено виконано завершено успішно дякую і`,
  ja: `はい いいえ ええ うん ok オーケー オッケー おけ 了解 承知 です ます でした しました した いたしました 致しました
    されました された 完了 終了 終わり 終わりました 終わった おわり おわりました できました できた 出来ました 出来た
    やりました やった 済み 済 すみ 済みました 大丈夫 問題 なし ない ありません ないです よし いい 良い 良し よい 成功
    すべて 全て 全部 ぜんぶ みんな もう 無事 無事に に が は を も の と`,
  zh: `是 是的 否 好 好的 好了 行 对 對 可以 完成 已完成 完成了 做完 做完了 完毕 完畢 结束 結束 搞定 搞定了 成功 了 已 已经
    已經 都 全部 一切 所有 正常 没问题 沒問題 没有 沒有 问题 問題 收到 谢谢 謝謝`,
  ko: `네 예 아니요 응 좋아요 좋습니다 완료 완료됨 완료했습니다 완료했어요 완료되었습니다 완료됐습니다 끝 끝났습니다
    끝났어요 끝냈습니다 됐습니다 됐어요 되었습니다 했습니다 했어요 성공 성공했습니다 모두 모든 다 전부 문제 없음
    없습니다 문제없음 문제없습니다 이미 잘`,
  ar: `نعم لا تم حسنا جيد ممتاز انتهى انتهيت كل شيء بنجاح تمام شكرا`,
  hi: `हाँ हां नहीं ठीक है हो गया गयी गई सब पूरा पूर्ण किया कर दिया`,
  id: `ya tidak baik oke sudah selesai semua semuanya beres berhasil terima kasih`,
  vi: `vâng có không tốt xong rồi đã hoàn thành tất cả`,
  th: `ใช่ ไม่ โอเค เสร็จ เสร็จแล้ว เรียบร้อย เรียบร้อยแล้ว แล้ว ครับ ค่ะ สำเร็จ ทั้งหมด ดี`,
};

/** Case, width and the accents of Latin, Greek and Cyrillic folded away; marks that other scripts need stay. */
function foldForComparison(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ');
}

/** The folded letters, digits and marks of a text, nothing between them. Steps are compared with one comment after another. */
const foldedLetters = /* @__PURE__ */ memoize(
  (text) => foldForComparison(text).replace(/[^\p{L}\p{N}\p{M}]+/gu, ''),
  2 ** 16,
);

/** The folded words of a text, as white space and punctuation part them; an apostrophe does not. */
function foldedWords(text: string): string[] {
  return foldForComparison(text)
    .replace(/['\u2019\u02bc]/g, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}
