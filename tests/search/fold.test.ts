import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldForSearch } from '../../src/search/words.ts';

describe('fold', () => {
  it.each([
    ['ÜBERGABE', 'ubergabe'],
    ['Straße', 'strasse'],
    ['déjà vu', 'deja vu'],
    ['de\u0301ja\u0300', 'deja'],
    ['Łódź, Ærø', 'lodz, aero'],
    ['İstanbul', 'istanbul'],
    ['Ελλάς', 'ελλασ'],
    ['ﬁle № ５', 'file no 5'],
    ['Ёлка и йод', 'елка и йод'],
    ['قُرْآنٌ', 'قران'],
    ['إدارة ــ مدرسة', 'اداره  مدرسه'],
    ['שָׁלוֹם', 'שלום'],
    ['ガ', 'ガ'],
    ['ｶﾞ', 'ガ'],
    ['हिन्दी', 'हिन्दी'],
    ['한국어', '한국어'],
  ])('%s becomes %s', (text, folded) => {
    expect(foldForSearch(text)).toBe(folded);
  });

  it('changes nothing that is folded already', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldForSearch(foldForSearch(text))).toBe(foldForSearch(text));
      }),
    );
  });

  it('treats every way of composing a text as the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldForSearch(text.normalize('NFD'))).toBe(foldForSearch(text.normalize('NFC')));
      }),
    );
  });
});
