import fc from 'fast-check';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { findLinks } from '../../src/lint/facts/links.ts';
import { lintSource } from '../../src/lint/lint-source.ts';
import { runs } from '../support/thorough.ts';

const paths = async (source: string) => (await findLinks(source)).map(({ path }) => path);

describe('findLinks', () => {
  it.each([
    ['[a](docs/a.md#part) and ![b](<img/b c.png> "B")', ['docs/a.md', 'img/b c.png']],
    ['[a](b(c).md), [d](e.md:12)', ['b(c).md', 'e.md']],
    ['- item with [a](a.md)\n\n> [b](b.md)', ['a.md', 'b.md']],
    ['[a][x]\n\n[x]: docs/x.md "X"', ['docs/x.md']],
    ['`[a](a.md)` \\[b](b.md) ``` `[c](c.md)` ```', []],
    ['```\n[a](a.md)\n[x]: x.md\n```\n\n    [b](b.md)', []],
    ['[site](https://example.org/a.md) [anchor](#a) [root](/a.md)', []],
    ['[a](b', []],
  ])('of %j returns %j', async (source, expected) => {
    expect(await paths(source)).toEqual(expected);
  });

  it('finds what the reference parser finds in running text', async () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '(',
      ')',
      'a',
      'b.md',
      '`',
      '\\',
      ' ',
      '![',
      '](',
      '<',
      '>',
      '"t"',
      '*',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 24 }), async (pieces) => {
        const source = `x ${pieces.join('')}`;
        const found = await paths(source);
        for (const target of targets(unified().use(remarkParse).parse(source))) {
          if (/^[ab][\w.]*$/.test(target)) expect(found).toContain(target);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each(['[a](b', '[a](', '![', '`', '`` ', '<!--', '[a]: <', '[](', '**a', '<a '])(
    'reads much of %j without running out of time',
    async (unit) => {
      const source = `# T\n\n${unit.repeat(Math.ceil(runs(256 * 1024) / unit.length))}\n`;
      await findLinks(source);
      await lintSource(source, { path: 'a.md', exists: () => false });
    },
  );
});

interface Node {
  type: string;
  url?: string;
  children?: Node[];
}

function targets(node: Node): string[] {
  const own = (node.type === 'link' || node.type === 'image') && node.url !== undefined ? [node.url] : [];
  return [...own, ...(node.children ?? []).flatMap(targets)];
}
