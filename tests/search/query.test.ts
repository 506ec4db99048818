import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/search/words.ts';

describe('parseQuery', () => {
  it('keeps all words for the whole and looks up the meaningful ones, once per stem', () => {
    expect(parseQuery('How do I release the Releases of packages?')).toEqual([
      {
        text: 'How do I release the Releases of packages?',
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

  it('looks at so much and no more', () => {
    const many = Array.from({ length: 20 }, (_, at) => `n${at}`).join(' | ');
    expect(parseQuery(many)).toHaveLength(8);
    const long = Array.from({ length: 900 }, (_, at) => `n${at}`).join(' ');
    expect(parseQuery(long)[0]?.words).toHaveLength(48);
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
