import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../src/protocol/block/yaml.ts';
import { plainMapping } from '../../src/protocol/frontmatter.ts';

describe('plainMapping', () => {
  it('reads plain frontmatter', () => {
    const text =
      'slug: release-npm\nversion: 1.2.0\n\ntags: [release, npm package]\nowner: "the team"\nareas:\n  - a/b\n  - c.d\n';
    expect(plainMapping(text)).toEqual({
      slug: 'release-npm',
      version: '1.2.0',
      tags: ['release', 'npm package'],
      owner: 'the team',
      areas: ['a/b', 'c.d'],
    });
  });

  it.each([
    'slug: true',
    'slug: 12',
    'version: 1.2',
    'slug: a\nslug: b',
    'slug: a: b',
    'slug: a # b',
    'slug: &a b',
    'slug: |\n  a',
    'slug: a\n  b',
    'tags:',
    'tags:\nslug: a',
    'tags:\n  - a\n - b',
    'tags: []',
    '- a',
    'a: b\n- c',
    'a:\n  b: c',
    'é: b',
    '__proto__: b',
    'slug:a',
  ])('leaves %j to those who know all of YAML', (text) => {
    expect(plainMapping(text)).toBeNull();
  });

  const odd = fc.constantFrom(
    ...[
      ':',
      ': ',
      ' ',
      '- ',
      '\n',
      '[',
      ']',
      ', ',
      '"',
      "'",
      '#',
      ' #',
      '.',
      '~',
      '&',
      '*',
      '!',
      '|',
      '>',
      '%',
      '\t',
      '\u00a0',
    ],
    ...[
      '0x1',
      'true',
      'Null',
      'NO',
      '1',
      '1.2',
      '1.2.3-1',
      '1e5',
      '---',
      '...',
      '\r',
      '\\',
      '{',
      '}',
      '?',
      '@',
      '`',
      'é',
    ],
  );
  const word = fc.constantFrom(
    'a',
    'word',
    'two words',
    '1.2.3',
    '1.2.3-rc.1',
    'a.b',
    'a/b',
    '"q r"',
    "'s'",
    'NO',
    'nullish',
  );
  const scalar = fc.oneof(
    { weight: 8, arbitrary: word },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.tuple(word, odd).map(([a, b]) => a + b) },
  );
  const key = fc.constantFrom('slug', 'tags', 'version', 'on', 'a-b', 'y', 'owner_of');
  const entry = fc.oneof(
    fc
      .tuple(key, fc.constantFrom(': ', ':  '), scalar, fc.constantFrom('', ' '))
      .map((parts) => parts.join('')),
    fc
      .tuple(key, fc.array(scalar, { maxLength: 3 }))
      .map(([name, items]) => `${name}: [${items.join(', ')}]`),
    fc
      .tuple(key, fc.constantFrom('', '  ', '    '), fc.array(scalar, { maxLength: 3 }))
      .map(([name, indent, items]) => [`${name}:`, ...items.map((item) => `${indent}- ${item}`)].join('\n')),
    scalar,
  );

  it('returns the same as a whole YAML reader, or nothing', () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), fc.constantFrom('\n', '\r\n'), (entries, ending) => {
        const text = entries.join(ending);
        const mapping = plainMapping(text);
        if (mapping === null || text.trim() === '') return;
        plain += 1;
        const reading = readYaml(text);
        expect('value' in reading ? reading.value : reading).toEqual(mapping);
      }),
      { numRuns: 1000 },
    );
    expect(plain).toBeGreaterThan(50);
  });
});
