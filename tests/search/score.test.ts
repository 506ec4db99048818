import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChainContent } from '../../src/protocol/model.ts';
import { toSearchDocument } from '../../src/search/document.ts';
import { parseQuery } from '../../src/search/query.ts';
import { resolve } from '../../src/search/resolve.ts';
import { LEXICAL_MAX, scoreOf } from '../../src/search/score.ts';
import { contentOf } from '../store/builders.ts';
import { vocabularyOfDocuments } from './vocabulary.ts';

/** Score of the first content among all. */
function score(query: string, ...contents: ChainContent[]) {
  const documents = contents.map(toSearchDocument);
  const [phrasing] = parseQuery(query);
  const [document] = documents;
  if (phrasing === undefined || document === undefined) throw new Error('nothing to score');
  return scoreOf(resolve(phrasing, vocabularyOfDocuments(documents)), document);
}

const chain = contentOf({
  slug: 'rotate-key',
  title: 'Rotate a leaked credential',
  tags: [],
  description: 'When a secret got out.',
  triggers: '- a token was exposed',
  steps: 2,
});

describe('scoreOf', () => {
  it.each([
    ['rotate a LEAKED credential!', 1],
    ['rotate-key', 1],
    ['A token was exposed', 0.98],
  ])('exact: %s scores %d', (query, expected) => {
    expect(score(query, chain)).toEqual({ score: expected, match: 'exact' });
  });

  it.each(['rotate a leakd credential', 'rotate a leaked credentials', 'rotat key', 'rotatekey'])(
    'one slip from a whole name: %s scores just below',
    (query) => {
      const { score: found, match } = score(query, chain);
      expect(match).toBe('lexical');
      expect(found).toBeGreaterThanOrEqual(0.88);
      expect(found).toBeLessThanOrEqual(LEXICAL_MAX);
    },
  );

  it('doubts a slip that is a word of its own, when it is all that was typed', () => {
    const post = contentOf({
      slug: 'post',
      title: 'Post',
      triggers: null,
      description: '',
      tags: [],
      steps: 0,
    });
    const host = contentOf({ slug: 'add-host', title: 'Add a host', triggers: null, tags: [], steps: 0 });
    expect(score('host', post, host).score).toBe(0.5);
    expect(score('pots', post, host).score).toBe(0.88);
    expect(score('host', host, post).score).toBeGreaterThan(0.8);
  });

  it('computes weighted coverage as its formula says', () => {
    // tf: "credential" once in the name (8), "secret" once in the summary (3), "fill" in both bodies (2); all weights 1.
    const words = (8 / 10 + 3 / 5 + 2 / 4 + 0) / 4;
    expect(score('credential secret fill nonsense', chain).score).toBeCloseTo(
      words + (1 - words) * 0.6 * (1 / 6) ** 2,
      10,
    );
  });

  it('ranks a name over a trigger over a description over a body', () => {
    const said = (parts: Parameters<typeof contentOf>[0]) =>
      contentOf({ slug: 'x', title: 'X', description: '', triggers: null, tags: [], steps: 0, ...parts });
    const contents = [
      said({ title: 'Mend the gizmo' }),
      said({ triggers: '- the gizmo is broken' }),
      said({ description: 'About some gizmo that we have here in the house.' }),
      { ...said({}), steps: [{ label: 'Look', body: 'At the gizmo.', block: null }] },
    ];
    const scores = contents.map((content) => score('gizmo', content).score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    expect(new Set(scores).size).toBe(4);
  });

  it('lets a long text say less with one word than a short one', () => {
    const filler = Array.from({ length: 2000 }, (_, at) => `w${at}`).join(' ');
    const long = { ...chain, steps: [{ label: 'Do', body: `quokka ${filler}`, block: null }] };
    const short = { ...chain, steps: [{ label: 'Do', body: 'quokka', block: null }] };
    expect(score('quokka', long).score).toBeLessThan(score('quokka', short).score / 2);
  });

  const vocabulary = 'rotate leaked credential secret token key deploy release the a of house cat'.split(' ');
  const phrase = fc
    .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 })
    .map((list) => list.join(' '));
  const content = fc
    .record({ title: phrase, description: phrase, trigger: phrase, slug: fc.constantFrom('one', 'two') })
    .map(({ trigger, ...rest }) => contentOf({ ...rest, triggers: `- ${trigger}`, steps: 1 }));

  it('stays within 0..1; lexical scores stay below exact ones; no word in common is 0', () => {
    fc.assert(
      fc.property(phrase, content, fc.array(content, { maxLength: 3 }), (query, first, others) => {
        const { score: found, match } = score(query, first, ...others);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(match === 'exact' ? 1 : LEXICAL_MAX);
        expect(score('zzz qqq', first, ...others)).toEqual({ score: 0, match: 'lexical' });
      }),
    );
  });

  it('does not depend on chains that share no word with the query, however many', () => {
    const unrelated = fc
      .array(fc.stringMatching(/^q[0-9]{6}$/), { minLength: 1, maxLength: 4 })
      .map((list) => ({
        ...contentOf({ title: list.join(' '), slug: 'q', triggers: null, description: '', tags: [] }),
        steps: [],
      }));
    fc.assert(
      fc.property(phrase, content, fc.array(unrelated, { maxLength: 20 }), (query, first, others) => {
        expect(score(query, first, ...others)).toEqual(score(query, first));
      }),
    );
  });

  it('never falls when the chain says a word of the query once more', () => {
    fc.assert(
      fc.property(phrase, content, fc.constantFrom(...vocabulary), (query, first, word) => {
        const more = { ...first, steps: [...first.steps, { label: 'More', body: word, block: null }] };
        const both = query.split(' ').includes(word) ? score(query, more).score : score(query, first).score;
        expect(both).toBeGreaterThanOrEqual(score(query, first).score);
      }),
    );
  });
});
