import { tests as examples } from 'commonmark-spec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFence } from '../../../src/protocol/block/fence.ts';
import { type LineIndex, lineIndex } from '../../../src/protocol/position.ts';
import { type Block, NestingError } from '../../../src/protocol/scan/blocks.ts';
import { scan } from '../../../src/protocol/scan/scan.ts';
import { casesOf, runs } from '../../support/thorough.ts';
import { corpusFiles, hasCorpus } from '../corpus.ts';
import { oddDocument, oddProtocol } from '../documents.ts';
import { type Found, remarkBlocks } from '../remark.ts';

const RUNS = { numRuns: runs(300) };

async function ourBlocks(source: string): Promise<Found[]> {
  const lines = lineIndex(source);
  const { frontmatter, blocks } = await scan(source, lines);
  const found = blocks.flatMap((block) => comparable(source, lines, block));
  return frontmatter === null ? found : [{ type: 'frontmatter', ...frontmatter }, ...found];
}

function comparable(source: string, lines: LineIndex, block: Block): Found[] {
  const { type, first, last } = block;
  switch (type) {
    case 'heading':
      return [{ type, depth: block.depth, text: block.text, last }];
    case 'code':
      return [
        block.fenced
          ? { type: 'fence', first, value: readFence(source, lines, block).text }
          : { type, first },
      ];
    case 'paragraph':
      return [];
    default:
      return [{ type, first }];
  }
}

/** A fence that is cut short by the end of a line of tabs keeps fewer of its spaces; nobody reads those. */
function withoutSpace(found: Found[]): Found[] {
  return found.map((block) =>
    block.type === 'fence' ? { ...block, value: block.value.replace(/\s+/g, ' ').trim() } : block,
  );
}

async function expectSame(source: string): Promise<void> {
  const [ours, theirs] = [await ourBlocks(source), remarkBlocks(source)];
  expect({ source, blocks: withoutSpace(ours) }).toEqual({ source, blocks: withoutSpace(theirs) });
}

describe('scan finds what remark finds', () => {
  it.each(examples.map(({ number, markdown }) => [number, markdown.replaceAll('→', '\t')] as const))(
    'in CommonMark example %i',
    (_, markdown) => expectSame(markdown),
  );

  it('in the CommonMark examples under a title, with other line endings and a BOM', async () => {
    const variants = [
      (text: string) => text,
      (text: string) => text.replaceAll('\n', '\r\n'),
      (text: string) => text.replaceAll('\n', '\r'),
      (text: string) => `\ufeff${text}`,
    ];
    for (const { number, markdown } of casesOf(examples)) {
      const text = `# T\n\n${markdown.replaceAll('→', '\t')}\n\n## S\n`;
      await expectSame(variants[number % variants.length]!(text));
    }
  });

  it
    .skipIf(!hasCorpus)
    .each(
      [...corpusFiles('protocols'), ...corpusFiles('runbooks')].map(
        ({ name, source }) => [name, source] as const,
      ),
    )('in %s', (_, source) => expectSame(source));

  it('in generated documents', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(oddDocument, oddProtocol), expectSame), RUNS);
  });

  it.each([
    ['---\ntitle: x\n---\n# A\n'],
    ['\ufeff---\t \ntitle: x\n--- \t\n# A\n'],
    ['---\r\n---\r\n# A\r\n'],
    ['---\n# A\n'],
    ['--- x\n---\n# A\n'],
    [' ---\ntitle: x\n---\n# A\n'],
    ['---\ntitle: x\n ---\n# A\n'],
    ['---\ntitle: x\n----\n---\n# A\n'],
    ['---'],
    ['---\n---'],
  ])('about frontmatter in %j', (source) => expectSame(source));

  it.each([
    ['a table that text follows', '# T\n\n| a |\n|---|\n| b |\ntext\n---\n\n## S\n'],
    ['a table that an underline follows', '| a |\n|---|\n===\n\n# T\n'],
    ['a table without outer pipes', 'a | b\n--|--\n# T\n'],
    ['a table right after a text', 'text\n| a |\n|---|\n---\n# T\n'],
    ['a footnote that holds a heading', '[^1]: a\n\n    # no title\n\n# T[^1]\n'],
    ['a reference in a heading to a definition below', '# [a] [b]\n\n[b]: /c\n'],
    ['a reference in a setext heading', '[a]: /b\n[a] *c*\nd\n===\n'],
    ['a definition that takes the text of an underline', '[a]: /b\n===\nc\n'],
    ['an empty item after code', '    code\n*\n\n# T\n'],
    ['HTML right after an item', '- a\n<b>\n\n# T\n'],
    ['a code span over two lines of a heading', 'a `b\n    c` d\n---\n'],
    ['hard breaks in a heading', 'a\\\nb  \nc\n==='],
    [
      'marks at the end of a heading beside a footnote',
      '# a # #\n\n[^1]: note\n\n## *b* ## #\n\n## c#\n\n## `d` #\\#\n',
    ],
    ['a heading with markup among plain text', '# **A** [b](c) _d_\n\n## x&amp;y ~~z~~ http://a.b\n'],
    ['labels with escaped brackets and other case', '# [a\\]b] [É  x]\n\n[a\\]b]: /c\n[é x]: /d\n'],
    ['white space that only JavaScript knows', '# \u00a0a\u2003\n\n<div\u00a0>\n\n## b\u2028\n'],
    ['a form feed', '#\fa\n\n# b\n\f\n## c\n'],
    ['a heading in a quote and one in a list', '# T\n\n> ## a\n\n- ## b\n\n  c\n  ---\n'],
    [
      'headings in code, comments and HTML',
      '# T\n\n```\n## a\n```\n\n    ## b\n\n<!--\n## c\n-->\n\n<div>\n## d\n</div>\n\n## e\n',
    ],
  ])('about %s', (_, source) => expectSame(source));
});

describe('scan refuses nesting', () => {
  it.each([
    ['quotes', (depth: number) => '> '.repeat(depth)],
    ['lists', (depth: number) => '- '.repeat(depth)],
    [
      'quotes over lines',
      (depth: number) => Array.from({ length: depth }, (_, at) => `${'> '.repeat(at + 1)}a\n`).join(''),
    ],
    [
      'lists over lines',
      (depth: number) => Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}- a\n`).join(''),
    ],
  ])('of %s deeper than 64', async (_, nest) => {
    const deep = `# T\n\n${nest(1000)}text\n`;
    await expect(scan(deep, lineIndex(deep))).rejects.toThrow(NestingError);
    const allowed = `# T\n\n${nest(64)}text\n`;
    expect((await scan(allowed, lineIndex(allowed))).blocks).toHaveLength(2);
    const tooMany = `# T\n\n${nest(65)}text\n`;
    await expect(scan(tooMany, lineIndex(tooMany))).rejects.toThrow(NestingError);
  });

  it('of footnotes, which only the reference sees', async () => {
    const deep = `# T\n\n${'[^a]: '.repeat(1000)}text\n`;
    await expect(scan(deep, lineIndex(deep))).rejects.toThrow(
      expect.objectContaining({ name: 'NestingError', line: 2 }),
    );
  });
});
