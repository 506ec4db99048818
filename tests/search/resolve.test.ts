import { describe, expect, it } from 'vitest';
import {
  loadStemmers,
  resolve,
  sharesBeginning,
  tellingTerms,
  termWeight,
} from '../../src/search/resolve.ts';
import { parseQuery } from '../../src/search/words.ts';
import { vocabularyOf } from './vocabulary.ts';

function terms(query: string, stems: Record<string, number>, nameWords: string[] = []) {
  const [phrasing] = parseQuery(query);
  if (phrasing === undefined) throw new Error('an empty query');
  return resolve(phrasing, vocabularyOf(stems, nameWords)).terms;
}

describe('resolve', () => {
  it('uses a known term unchanged, and weighs it by how many chains contain it', () => {
    expect(terms('release npm', { releas: 1, npm: 20 })).toEqual([
      {
        word: 'release',
        weight: 1,
        chains: 1,
        variants: [{ stems: ['releas'], factor: 1, nameOnly: false }],
      },
      {
        word: 'npm',
        weight: termWeight(20),
        chains: 20,
        variants: [{ stems: ['npm'], factor: 1, nameOnly: false }],
      },
    ]);
  });

  it('tries an unknown term as a slip of a word of a name', () => {
    expect(terms('relaese', { releas: 3 }, ['release', 'lease'])).toEqual([
      {
        word: 'relaese',
        weight: termWeight(3),
        chains: 3,
        variants: [
          { stems: ['relaes'], factor: 1, nameOnly: false },
          { stems: ['releas'], factor: 0.85, nameOnly: true },
        ],
      },
    ]);
    expect(terms('relaese', { relaes: 1, releas: 3 }, ['release'])[0]?.variants).toHaveLength(1);
  });

  it('tries an unknown term as a form or part of a known word', () => {
    expect(terms('datenbank', { datenbankwiederherstellung: 2, datenschutz: 9 })[0]).toEqual({
      word: 'datenbank',
      weight: termWeight(2),
      chains: 2,
      variants: [
        { stems: ['datenbank'], factor: 1, nameOnly: false },
        { stems: ['datenbankwiederherstellung'], factor: 0.6, nameOnly: false },
      ],
    });
  });

  it('treats words written together and separately as the same', () => {
    expect(terms('rollback', { roll: 2, back: 5 })[0]).toEqual({
      word: 'rollback',
      weight: termWeight(2),
      chains: 2,
      variants: [
        { stems: ['rollback'], factor: 1, nameOnly: false },
        { stems: ['roll', 'back'], factor: 0.85, nameOnly: false },
      ],
    });
    expect(terms('roll back', { rollback: 4, roll: 2 }).map(({ variants }) => variants)).toEqual([
      [
        { stems: ['roll'], factor: 1, nameOnly: false },
        { stems: ['rollback'], factor: 0.85, nameOnly: false },
      ],
      [
        { stems: ['back'], factor: 1, nameOnly: false },
        { stems: ['rollback'], factor: 0.85, nameOnly: false },
      ],
    ]);
  });

  it('leaves nonsense alone, to weigh in full against the query', () => {
    expect(terms('xkcdqz', { releas: 3 }, ['release'])).toEqual([
      { word: 'xkcdqz', weight: 1, chains: 0, variants: [{ stems: ['xkcdqz'], factor: 1, nameOnly: false }] },
    ]);
  });

  it('reports which words no chain contains', () => {
    const [phrasing] = parseQuery('the relaese');
    if (phrasing === undefined) throw new Error('an empty query');
    expect(resolve(phrasing, vocabularyOf({ the: 4 }, [])).unknown).toEqual(new Set(['relaese']));
  });
});

describe('resolve with the stemmers of Snowball', () => {
  it.each([
    ['fatture', 'fattura'],
    ['invio', 'inviar'],
    ['серверів', 'сервер'],
    ['kulcsot', 'kulcs'],
    ['talossa', 'talon'],
    ['τιμολογια', 'τιμολογιου'],
    ['सर्वरों', 'सर्वर'],
  ])('relates %s to %s', async (typed, known) => {
    const [phrasing] = parseQuery(typed);
    if (phrasing === undefined) throw new Error('an empty query');
    const [term] = resolve(phrasing, vocabularyOf({ [known]: 2 }, []), await loadStemmers()).terms;
    expect(term?.variants.slice(1)).toEqual([{ stems: [known], factor: 0.6, nameOnly: false }]);
  });

  it('relates no word to one of another meaning or script', async () => {
    const [phrasing] = parseQuery('invoice');
    if (phrasing === undefined) throw new Error('an empty query');
    const words = vocabularyOf({ invit: 1, invent: 1, инвойс: 1 }, []);
    expect(resolve(phrasing, words, await loadStemmers()).terms[0]?.variants).toHaveLength(1);
  });
});

describe('tellingTerms', () => {
  it('keeps the rarest, as many as are in so many chains together, and two at least', () => {
    const words = terms('release npm deploy check', { releas: 900, npm: 20, deploi: 70, check: 950 });
    const kept = (most: number) => tellingTerms(words, most).map(({ word }) => word);
    expect([kept(1000), kept(100), kept(10), kept(5000)]).toEqual([
      ['npm', 'deploy', 'release'],
      ['npm', 'deploy'],
      ['npm', 'deploy'],
      ['npm', 'deploy', 'release', 'check'],
    ]);
  });
});

describe('sharesBeginning', () => {
  it.each([
    ['datenbank', 'datenbankwiederherstellung', true],
    ['восстанов', 'восстановл', true],
    ['postgresql', 'postgr', true],
    ['contract', 'contrast', true],
    ['international', 'interest', false],
    ['kube', 'kubernet', false],
  ])('%s and %s: %s', (left, right, expected) => {
    expect(sharesBeginning(left, right)).toBe(expected);
    expect(sharesBeginning(right, left)).toBe(expected);
  });
});

describe('termWeight', () => {
  it('is 1 for the rarest and falls slowly', () => {
    expect([0, 1, 8, 1000].map((chains) => termWeight(chains).toFixed(2))).toEqual([
      '1.00',
      '1.00',
      '0.49',
      '0.22',
    ]);
  });
});
