import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChainContent } from '../../src/protocol/model.ts';
import { toSearchDocument } from '../../src/search/document.ts';
import { resolve } from '../../src/search/resolve.ts';
import { scoreOf, wordEvidence } from '../../src/search/score.ts';
import { parseQuery } from '../../src/search/words.ts';
import { contentOf } from '../store/builders.ts';
import { vocabularyOfDocuments } from './vocabulary.ts';

/** How the first content among all fits by words. */
function evidence(query: string, ...contents: ChainContent[]) {
  const documents = contents.map(toSearchDocument);
  const [phrasing] = parseQuery(query);
  const [document] = documents;
  if (phrasing === undefined || document === undefined) throw new Error('nothing to score');
  return wordEvidence(resolve(phrasing, vocabularyOfDocuments(documents)), document);
}

const chain = contentOf({
  slug: 'rotate-key',
  title: 'Rotate a leaked credential',
  tags: [],
  description: 'When a secret got out.',
  triggers: '- a token was exposed',
  steps: 2,
});

const strength = (query: string, ...contents: ChainContent[]) => evidence(query, ...contents).strength;

describe('wordEvidence', () => {
  it.each([
    ['rotate a LEAKED credential!', 1],
    ['rotate-key', 1],
    ['A token was exposed', 0.98],
    ['rotate a leakd credential', 0.88],
    ['rotate a leaked credentials', 0.88],
    ['rotat key', 0.88],
    ['rotatekey', 0.88],
    ['credential', 0],
  ])('%s: called %d', (query, expected) => {
    expect(evidence(query, chain).called).toBe(expected);
  });

  it('doubts a slip that is a separate word, when it is all that was typed', () => {
    const post = contentOf({
      slug: 'post',
      title: 'Post',
      triggers: null,
      description: '',
      tags: [],
      steps: 0,
    });
    const host = contentOf({ slug: 'add-host', title: 'Add a host', triggers: null, tags: [], steps: 0 });
    expect(evidence('host', post, host).called).toBe(0.5);
    expect(evidence('pots', post, host).called).toBe(0.88);
    expect(strength('host', host, post)).toBeGreaterThan(0.3);
  });

  it('adds up the strength of each word, by its formula', () => {
    // tf: "credential" once in the name (8), "secret" once in the summary (3), "fill" in both bodies (2); all weights 1.
    const words = (8 / 10) ** 0.7 + (3 / 5) ** 0.7 + (2 / 4) ** 0.7;
    expect(strength('credential secret fill nonsense', chain)).toBeCloseTo(0.4 * words, 10);
  });

  it('returns the words that are shared, and the phrase that is nearest', () => {
    const found = evidence('which token was exposed by the leaked build', chain);
    expect(found).toMatchObject({
      words: ['token', 'exposed', 'leaked'],
      phrase: 'token expos',
      subject: true,
    });
    expect(evidence('some token or other', chain)).toMatchObject({ subject: false, hint: false });
  });

  it('ranks a name over triggers and description over a body', () => {
    const said = (parts: Parameters<typeof contentOf>[0]) =>
      contentOf({ slug: 'x', title: 'X', description: '', triggers: null, tags: [], steps: 0, ...parts });
    const contents = [
      said({ title: 'Mend the gizmo' }),
      said({ triggers: '- the gizmo is broken' }),
      said({ description: 'About some gizmo that we have here in the house.' }),
      { ...said({}), steps: [{ label: 'Look', body: 'At the gizmo.', block: null }] },
    ];
    const scores = contents.map((content) => strength('gizmo', content));
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    expect(new Set(scores).size).toBe(3);
  });

  it('gives one word less weight in a long text than in a short one', () => {
    const filler = Array.from({ length: 2000 }, (_, at) => `w${at}`).join(' ');
    const long = { ...chain, steps: [{ label: 'Do', body: `quokka ${filler}`, block: null }] };
    const short = { ...chain, steps: [{ label: 'Do', body: 'quokka', block: null }] };
    expect(strength('quokka', long)).toBeLessThan(strength('quokka', short) / 1.5);
  });

  const vocabulary = 'rotate leaked credential secret token key deploy release the a of house cat'.split(' ');
  const phrase = fc
    .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 })
    .map((list) => list.join(' '));
  const content = fc
    .record({ title: phrase, description: phrase, trigger: phrase, slug: fc.constantFrom('one', 'two') })
    .map(({ trigger, ...rest }) => contentOf({ ...rest, triggers: `- ${trigger}`, steps: 1 }));

  it('makes scores within 0..1; no word in common is nothing', () => {
    fc.assert(
      fc.property(phrase, content, fc.array(content, { maxLength: 3 }), (query, first, others) => {
        const found = scoreOf(strength(query, first, ...others));
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(evidence('zzz qqq', first, ...others)).toMatchObject({ strength: 0, matches: false });
      }),
    );
  });

  it('never falls when the request gets one more word', () => {
    fc.assert(
      fc.property(phrase, content, fc.constantFrom(...vocabulary), (query, first, word) => {
        const before = evidence(query, first);
        // Called exactly so is more than any words can say.
        if (before.called > 0) return;
        const grown = evidence(`${query} ${word}`, first);
        expect(grown.strength).toBeGreaterThanOrEqual(before.strength - 1e-9);
        expect(grown.matches || !before.matches).toBe(true);
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
        expect(evidence(query, first, ...others)).toEqual(evidence(query, first));
      }),
    );
  });

  it('never falls when the chain repeats a word of the query', () => {
    fc.assert(
      fc.property(phrase, content, fc.constantFrom(...vocabulary), (query, first, word) => {
        const more = { ...first, steps: [...first.steps, { label: 'More', body: word, block: null }] };
        if (!query.split(' ').includes(word)) return;
        expect(strength(query, more)).toBeGreaterThanOrEqual(strength(query, first) - 1e-9);
      }),
    );
  });
});
