import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allCounts, termCounts, toSearchDocument } from '../../src/search/document.ts';
import { contentOf } from '../store/builders.ts';

describe('toSearchDocument', () => {
  it('contains names, triggers, phrases and how often each stem occurs in each field', () => {
    const content = contentOf({
      slug: 'ship-it',
      title: 'Ship it',
      tags: ['npm'],
      description: 'Ships what was built.',
      triggers: '- "send it out"',
      completion_rule: 'All shipped.',
      steps: 1,
    });
    expect(toSearchDocument(content)).toEqual({
      names: ['ship it'],
      triggers: ['send it out'],
      phrases: [['ship'], ['send']],
      counts:
        '\nship 1 2 0\nit 1 1 0\nnpm 1 0 0\nsend 0 1 0\nout 0 1 0\nwhat 0 1 0\nwa 0 1 0\nbuilt 0 1 0\nall 0 1 0\nstep 0 0 1\n1 0 0 2\nfill 0 0 1\ncan 0 0 1\n',
      lengths: [3, 9, 5],
    });
  });

  it('keeps title and slug apart when they differ, and a title without words', () => {
    const { names, phrases } = toSearchDocument(
      contentOf({ title: '🚀', slug: 'p-1234abcd', triggers: null }),
    );
    expect(names).toEqual(['🚀', 'p 1234abcd']);
    expect(phrases).toEqual([['p', '1234abcd']]);
  });

  it('counts different forms of a word together, in each field', () => {
    const content = contentOf({ title: 'Shipped zebra', description: 'Ship zebras, shipped ships.' });
    const document = toSearchDocument(content);
    expect(['ship', 'zebra', 'shipped'].map((term) => termCounts(document, term))).toEqual([
      [1, 3, 0],
      [1, 1, 0],
      null,
    ]);
  });

  it('is plain JSON', () => {
    const document = toSearchDocument(contentOf({ title: 'constructor __proto__ toString' }));
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(termCounts(document, 'constructor')).toEqual([1, 0, 0]);
    expect(termCounts(document, 'hasownproperti')).toBeNull();
  });

  it('counts every word of a field', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta 7', '日本語')), (list) => {
        const document = toSearchDocument(contentOf({ description: list.join(' '), triggers: null }));
        const counted = allCounts(document).reduce((sum, [, counts]) => sum + counts[1], 0);
        expect(counted).toBe(document.lengths[1]);
        for (const [term, counts] of allCounts(document)) expect(termCounts(document, term)).toEqual(counts);
      }),
    );
  });
});
