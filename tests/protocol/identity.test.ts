import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/base/canonical.ts';
import {
  chainId,
  deriveSlug,
  digest,
  isReservedChain,
  isSlug,
  PROJECT_NAMESPACE,
  parseMemUri,
  RESERVED_CREATE_ID,
  RESERVED_REFINE_ID,
  stepUri,
  stepUuid,
} from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';

const content: ChainContent = {
  slug: 'a',
  title: 'A',
  version: null,
  tags: [],
  description: '',
  triggers: null,
  completion_rule: null,
  steps: [{ label: 'One', body: 'text', block: null }],
};

describe('deriveSlug', () => {
  it.each([
    ['Release an npm package', 'release-an-npm-package'],
    ['  Déploiement à l’été — v2.0! ', 'deploiement-a-l-ete-v2-0'],
    ['İstanbul ﬁle №5 ½', 'istanbul-file-no5-1-2'],
    ['PROTOCOL: x_y', 'protocol-x-y'],
    ['日本語 release', 'release-c6098e39'],
    ['Шаг 3: деплой', '3-fef53c19'],
    ['Шаг 3: откат', '3-8e8526b1'],
    ['Straße', 'stra-e-58a3778c'],
    ['①②', '12'],
    [
      'я aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-2674d565',
    ],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
    [`- ${'a'.repeat(80)}`, 'a'.repeat(64)],
  ])('%j is %j', (title, slug) => {
    expect(deriveSlug(title)).toBe(slug);
  });

  it.each(['日本語のみ', '', '!!!', '́'])('%j, with nothing left, is named after its hash', (title) => {
    expect(deriveSlug(title)).toBe(`p-${sha256Hex(title).slice(0, 8)}`);
  });

  it('is a slug for every title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (title) => isSlug(deriveSlug(title))),
    );
  });

  it('keeps every slug unchanged', () => {
    const slug = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,5}$/);
    fc.assert(fc.property(slug, (text) => deriveSlug(text) === text));
  });
});

describe('isSlug', () => {
  it.each(['a', 'a-b', '0', 'x'.repeat(64)])('accepts %j', (text) => expect(isSlug(text)).toBe(true));
  it.each(['', '-', 'a-', '-a', 'a--b', 'A', 'a_b', 'ä', 'a\n', 'x'.repeat(65)])('refuses %j', (text) =>
    expect(isSlug(text)).toBe(false),
  );
});

describe('ids', () => {
  it('never change', () => {
    const id = chainId('personal', 'release-npm-package');
    expect([PROJECT_NAMESPACE, id, stepUuid(id, 1), stepUri(id, 2)]).toMatchInlineSnapshot(`
      [
        "9d12288b-c054-5490-8984-d78ab2d45a5e",
        "7a7a864d-674b-5b61-8df6-aa31bebfa04f",
        "ea28cc71-f979-5c74-a1a3-e126282ad6a1",
        "kairos://mem/4cec7023-fda4-51cb-931c-442139341bfe",
      ]
    `);
  });

  it('differ by space, slug and index', () => {
    const ids = [chainId('a', 'b'), chainId('b', 'b'), chainId('a', 'c')];
    const steps = ids.flatMap((id) => [stepUuid(id, 1), stepUuid(id, 2)]);
    expect(new Set([...ids, ...steps]).size).toBe(9);
  });

  it.each([RESERVED_CREATE_ID, RESERVED_REFINE_ID])('step 1 of the reserved %s is the chain itself', (id) => {
    expect(isReservedChain(id)).toBe(true);
    expect(stepUuid(id, 1)).toBe(id);
    expect(stepUri(id, 1)).toBe(`kairos://mem/${id}`);
    expect(stepUuid(id, 2)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('ordinary chains are not reserved', () => {
    expect(isReservedChain(chainId('personal', 'x'))).toBe(false);
  });
});

describe('parseMemUri', () => {
  it('gives the UUID in lower case', () => {
    expect(parseMemUri('KAIROS://Mem/95E58776-942a-41dc-9b03-b2fc45edabd1')).toBe(
      '95e58776-942a-41dc-9b03-b2fc45edabd1',
    );
  });

  it('reads every URI made for a step', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 99 }), (id, index) => {
        expect(parseMemUri(stepUri(id, index))).toBe(stepUuid(id, index));
      }),
    );
  });

  it.each([
    '',
    '95e58776-942a-41dc-9b03-b2fc45edabd1',
    'kairos://mem/95e58776',
    'kairos://mem/95e58776-942a-41dc-9b03-b2fc45edabd1/',
    ' kairos://mem/95e58776-942a-41dc-9b03-b2fc45edabd1',
    'kairos://mem/95e58776-942a-41dc-9b03-b2fc45edabd1\n',
    'kairos://mem/95e58776942a41dc9b03b2fc45edabd1',
    'https://mem/95e58776-942a-41dc-9b03-b2fc45edabd1',
  ])('refuses %j', (uri) => expect(parseMemUri(uri)).toBeNull());
});

describe('digest', () => {
  it('does not depend on the order of keys', () => {
    const reversed = Object.fromEntries(Object.entries(content).reverse()) as unknown as ChainContent;
    expect(digest(reversed)).toBe(digest(content));
  });

  it.each<Partial<ChainContent>>([
    { slug: 'b' },
    { title: 'B' },
    { version: '1.0.0' },
    { tags: ['x'] },
    { description: 'x' },
    { triggers: '' },
    { completion_rule: '' },
    { steps: [] },
    { steps: [{ label: 'Two', body: 'text', block: null }] },
    { steps: [{ label: 'One', body: '', block: null }] },
    { steps: [{ label: 'One', body: 'text', block: {} }] },
  ])('counts %j', (change) => {
    expect(digest({ ...content, ...change })).not.toBe(digest(content));
  });
});
