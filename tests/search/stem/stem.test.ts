import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem } from '../../../src/search/stem.ts';

/** The examples of Porter's paper, step by step, and the words that release notes are made of. */
const PORTER = `
  caresses caress  ponies poni  ties ti  caress caress  cats cat  feed feed  agreed agre  plastered plaster  bled bled
  motoring motor  sing sing  conflated conflat  troubled troubl  sized size  hopping hop  tanned tan  falling fall
  hissing hiss  fizzed fizz  failing fail  filing file  happy happi  sky sky  relational relat  conditional condit
  rational ration  valenci valenc  hesitanci hesit  digitizer digit  conformabli conform  radicalli radic
  differentli differ  vileli vile  analogousli analog  vietnamization vietnam  predication predic  operator oper
  feudalism feudal  decisiveness decis  hopefulness hope  callousness callous  formaliti formal  sensitiviti sensit
  sensibiliti sensibl  triplicate triplic  formative form  formalize formal  electriciti electr  electrical electr
  hopeful hope  goodness good  revival reviv  allowance allow  inference infer  airliner airlin  gyroscopic gyroscop
  adjustable adjust  defensible defens  irritant irrit  replacement replac  adjustment adjust  dependent depend
  adoption adopt  homologou homolog  communism commun  activate activ  angulariti angular  homologous homolog
  effective effect  bowdlerize bowdler  probate probat  rate rate  cease ceas  controll control  roll roll
  releases releas  releasing releas  deployment deploy  deployments deploy  migrations migrat  migrate migrat  is is`
  .trim()
  .split(/\s{2,}|\n\s*/)
  .map((pair) => pair.split(' ') as [string, string]);

describe('stem', () => {
  it.each(PORTER)('English: %s is %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it.each([
    [['база', 'базы', 'базу', 'базой', 'базами'], 'баз'],
    [['релиз', 'релиза', 'релизы', 'релизов'], 'релиз'],
    [['сломан', 'сломана'], 'сломан'],
    [['откат', 'откатить'], 'откат'],
  ])('Russian: %s', (forms, expected) => {
    expect(forms.map(stem)).toEqual(forms.map(() => expected));
  });

  it.each([[['البيانات', 'بيانات', 'والبيانات'], 'بيان']])('Arabic: %s', (forms, expected) => {
    expect(forms.map(stem)).toEqual(forms.map(() => expected));
  });

  it.each([
    [['서버', '서버를', '서버의', '서버에서', '서버에서는', '서버로'], '서버'],
    [['갱신', '갱신하고', '갱신합니다', '갱신하기'], '갱신'],
    [['pdf를', 'pdf'], 'pdf'],
    [['휴가'], '휴가'],
  ])('Korean: %s', (forms, expected) => {
    expect(forms.map(stem)).toEqual(forms.map(() => expected));
  });

  it.each([
    [['שרת', 'השרת', 'לשרתים'], 'שרת'],
    [['תעודה', 'התעודה', 'ותעודות'], 'תעוד'],
    [['עדכון', 'העדכון', 'עדכונים'], 'עדכונ'],
  ])('Hebrew: %s', (forms, expected) => {
    expect(forms.map(stem)).toEqual(forms.map(() => expected));
  });

  it.each(['データベース', 'ubergabe2', 'v1', '42', 'ελλασ'])(
    'keeps %s, for which it has no rules',
    (word) => {
      expect(stem(word)).toBe(word);
    },
  );

  it('adds at most the e that Porter restores, and never empties a word', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^([a-z]{1,20}|[а-я]{1,20}|[ا-ي]{1,20})$/), (word) => {
        const stemmed = stem(word);
        expect(stemmed.length).toBeGreaterThan(0);
        expect(stemmed.length).toBeLessThanOrEqual(word.length + 1);
      }),
    );
  });
});
