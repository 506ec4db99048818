import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReadWhole, parseQuery } from '../../src/search/words.ts';

describe('parseQuery', () => {
  it('keeps all words for the whole and looks up the meaningful ones, once per stem', () => {
    expect(parseQuery('How do I release the Releases of packages?')).toEqual([
      {
        texts: ['How do I release the Releases of packages?'],
        key: 'how do i release the releases of packages',
        words: ['how', 'do', 'i', 'release', 'the', 'releases', 'of', 'packages'],
        terms: [
          { stem: 'releas', word: 'release' },
          { stem: 'packag', word: 'packages' },
        ],
      },
    ]);
  });

  it('parts phrasings at a bar between spaces, and drops empty and repeated ones', () => {
    expect(parseQuery('ship it | SHIP IT! |  | | go out').map(({ key }) => key)).toEqual([
      'ship it',
      'go out',
    ]);
    expect(parseQuery('a|b').map(({ key }) => key)).toEqual(['a b']);
    expect(parseQuery('| ship |').map(({ key }) => key)).toEqual(['ship']);
    expect(parseQuery(' | ')).toEqual([]);
    expect(parseQuery('')).toEqual([]);
  });

  it('reads 32 phrasings and 1,500 words, and reports whether that is all', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);
    expect(parseQuery(many(40).join(' | '))).toHaveLength(32);
    expect(isReadWhole(many(40).join(' | '))).toBe(false);
    expect(isReadWhole(`${many(32).join(' | ')} | n1 | `)).toBe(true);
    const long = (count: number) => parseQuery(many(count).join(' ')).map(({ words }) => words.length);
    expect(long(1500)).toEqual([1500]);
    expect(isReadWhole(many(1500).join(' '))).toBe(true);
    expect(long(10_000)).toEqual([1500]);
    expect(isReadWhole(many(1501).join(' '))).toBe(false);
    const both = parseQuery(`${many(1000).join(' ')} | then ${many(1000).join(' ')}`);
    expect(both.map(({ words }) => words.length)).toEqual([1000, 500]);
    expect(isReadWhole(`ship it ${'x'.repeat(70_000)}`)).toBe(false);
    expect(isReadWhole(`${' '.repeat(70_000)}ship it`)).toBe(true);
  });

  it('cuts a long phrasing into stretches of 48 words that overlap by half', () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);
    const texts = (count: number) => parseQuery(words(count).join(' ')).flatMap((each) => each.texts);
    expect(texts(48)).toHaveLength(1);
    expect(texts(100).map((text) => text.split(' ')[0])).toEqual(['n0', 'n24', 'n48', 'n72']);
    expect(texts(100).at(-1)?.split(' ').at(-1)).toBe('n99');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.nat(), (count, from) => {
        const asked = words(count)
          .slice(from % count, (from % count) + 24)
          .join(' ');
        expect(texts(count).some((text) => ` ${text} `.includes(` ${asked} `))).toBe(true);
      }),
    );
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        for (const { key, terms } of parseQuery(query)) {
          expect(key).not.toBe('');
          for (const { stem, word } of terms) expect([stem, word]).not.toContain('');
        }
      }),
    );
  });
});
