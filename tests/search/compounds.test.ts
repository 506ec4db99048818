import { describe, expect, it } from 'vitest';
import { compounds } from '../../src/search/resolve.ts';

const known = (...stems: string[]) => {
  const all = new Set(stems);
  return (stem: string) => all.has(stem);
};

describe('compounds', () => {
  it('cuts a word into two known ones', () => {
    expect(compounds({ stem: 'rollback', word: 'rollback' }, ['rollback'], known('roll', 'back'))).toEqual([
      ['roll', 'back'],
    ]);
    expect(compounds({ stem: 'rollback', word: 'rollback' }, ['rollback'], known('roll'))).toEqual([]);
  });

  it('cuts off no part that is too short to be a word, unless letters are words', () => {
    expect(compounds({ stem: 'abandon', word: 'abandon' }, ['abandon'], known('ab', 'andon'))).toEqual([]);
    expect(compounds({ stem: '新版本', word: '新版本' }, ['新版本'], known('新', '版本'))).toEqual([
      ['新', '版本'],
    ]);
  });

  it('puts a word together with its neighbours, stop words too', () => {
    const words = ['please', 'hand', 'over', 'now'];
    expect(compounds({ stem: 'hand', word: 'hand' }, words, known('handov'))).toEqual([['handov']]);
    expect(compounds({ stem: 'now', word: 'now' }, words, known('handov'))).toEqual([]);
    expect(compounds({ stem: '版本', word: '版本' }, ['新', '版本'], known('新版本'))).toEqual([['新版本']]);
  });
});
