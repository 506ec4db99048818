import { fold } from './fold.ts';

/** Whether a folded word is so common that a query is better without it. Documents keep theirs. */
export function isStopWord(word: string): boolean {
  stopWords ??= new Set(LISTS.flatMap((list) => fold(list).trim().split(/\s+/)));
  return stopWords.has(word);
}

let stopWords: ReadonlySet<string> | undefined;

const LISTS = [
  // English, with the words that people wrap a request in
  `a about after all also am an and any are as at be been before being between both but by can cannot could did do
   does doing done during each else every for from get give go going had has have having he help her here hers
   him his how i if in into is it its itself just let like lets make may me mine more most much must my need needs
   no nor not now of off on once only or other our ours out over own please same shall she should show so some such
   tell than thanks that the their theirs them then there these they this those through to too under until up us
   use very want wants was way ways we were what when where which while who whom whose why will with would you your
   yours actually anyone anything best everyone everything good lot mean means nothing possible really
   somebody someone something stuff thing things try trying wanted
   dont doesnt didnt cant wont isnt arent wasnt im ive id ill youre theyre weve whats hows thats wheres`,
  // German
  `aber als am an auch auf aus bei bin bis bitte da damit dann das dass dem den der des die dies diese dieser dieses
   durch ein eine einem einen einer eines er es fur habe haben hat ich ihr im in ins ist kann man mein meine mir mit
   muss nach nicht noch nur oder ohne sein sich sie sind soll so uber um und uns unser unsere vom von vor was wenn wer
   werden wie wir wird wo wurde zu zum zur`,
  // French
  `au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur lui ma mais mes mon ne nos
   notre nous on ou par pas pour qu que qui sa se ses son sont sur ta te tu un une vos votre vous`,
  // Spanish
  `al como con cual cuando de del el ella en entre es esta este esto ha hay la las lo los mas me mi muy no nos o para
   pero por que se si sin sobre su sus te tu un una unas uno unos y ya`,
  // Russian
  `а без бы был была были было быть в во вот все всех вы где да для до его ее если есть еще же за и из или им их к как
   какой ко когда кто ли мне мой мы на над надо наш не него нет но ну о об от по под при с со так также там то только
   тут ты у уже чем что чтобы эта эти это этот я`,
  // Arabic
  `في من على الى عن مع هذا هذه ذلك تلك التي الذي ما ماذا كيف هل هو هي هم انا نحن انت ان او و ثم لا لم لن قد كان كل بعد قبل
   عند بين حتى اذا`,
  // Japanese
  `の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの
   です ます ました ください どう 方法 たい か ね よ へ より`,
  // Chinese
  '的 了 在 是 我 有 和 就 不 人 都 一 一个 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那 吗 呢 吧 怎么 如何 请 怎样 什么',
  // Thai
  'ที่ และ ใน ของ เป็น ให้ ได้ จะ มี ไม่ กับ การ อย่างไร ครับ ค่ะ นี้ นั้น',
];
