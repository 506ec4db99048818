import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phraseKey, words } from '../../src/search/words.ts';

describe('words', () => {
  it.each([
    ['Release an npm-package, v1.2!', ['release', 'an', 'npm', 'package', 'v1', '2']],
    ["don't lose the team's key", ['dont', 'lose', 'the', 'team', 'key']],
    ['it’s l’été', ['it', 'lete']],
    ['pg_restore --clean', ['pg', 'restore', 'clean']],
    ['データベースを復元する', ['データベース', 'を', '復元', 'する']],
    ['APIサーバーを再起動', ['api', 'サーバー', 'を', '再', '起動']],
    ['กู้คืนฐานข้อมูล', ['กู้', 'คืน', 'ฐาน', 'ข้อมูล']],
    ['한국어 문서', ['한국어', '문서']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['', []],
    ['!?… 🚀', []],
    ['x'.repeat(65), []],
  ])('%s', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('finds in its own words, put apart by spaces, the same words again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(words(words(text).join(' '))).toEqual(words(text));
      }),
    );
  });

  it('never gives a word that a full-text index would part', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const word of words(text)) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
      }),
    );
  });
});

describe('phraseKey', () => {
  it('is the words, without the characters between them', () => {
    expect(phraseKey('Ship   the Release!')).toBe('ship the release');
    expect(phraseKey('ship-the-release')).toBe('ship the release');
  });

  it('is the text itself where there are no words', () => {
    expect(phraseKey(' 🚀 ')).toBe('🚀');
    expect(phraseKey('  ')).toBe('');
  });
});
