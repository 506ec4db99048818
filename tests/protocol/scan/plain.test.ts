import { tests as examples } from 'commonmark-spec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineIndex } from '../../../src/protocol/position.ts';
import type { FoundBlocks } from '../../../src/protocol/scan/blocks.ts';
import { scanReference } from '../../../src/protocol/scan/reference.ts';
import { scan, scanFastPath } from '../../../src/protocol/scan/scan.ts';
import { casesOf, runs } from '../../support/thorough.ts';
import { corpusFiles, hasCorpus } from '../corpus.ts';
import { oddDocument, oddProtocol } from '../documents.ts';

const RUNS = { numRuns: runs(300) };

/** The lines of documents that are nearly plain, so that many are. */
const LINES = [
  '',
  '',
  '',
  'text',
  'two words',
  'ends in two spaces  ',
  '# One',
  '## Two `code` snake_case: why? #',
  '### *Three*',
  '#tag',
  '- item',
  '* star',
  '+ plus',
  '-',
  '- `a` b',
  '- [ ] task',
  '- **bold**',
  '-- dashes',
  '--flag',
  '1. first',
  '2. second',
  '1) other',
  '10. ten',
  '12',
  '3.',
  '- - nested',
  '1. - a',
  '-     far',
  '```',
  '```json',
  '~~~',
  '``` a`b',
  '``inline``',
  '> quote',
  '>',
  '>quote',
  '> - list',
  '>  ## no',
  '---',
  '***',
  '___',
  '- - -',
  '=',
  '===',
  '-',
  '| a | b |',
  '|---|---|',
  '--|--',
  ':-',
  'a | b',
  '<!-- note -->',
  '<!--',
  '-->',
  'a --> b',
  '<b>',
  '[link](x)',
  '[a]: /b',
  '*emphasis*',
  '_x_',
  '**',
  '* *',
  '{"a": 1}',
  '# A & B',
  '## `a',
  '####### seven',
  '\\# no',
  '&amp; so',
  '!x',
];
const INDENTS = ['', '', '', '', ' ', '  ', '  ', '   ', '   ', '    ', '     ', '      '];

const plainDocument = fc
  .array(fc.tuple(fc.constantFrom(...INDENTS), fc.constantFrom(...LINES)), { maxLength: 14 })
  .map((lines) => lines.map(([indent, line]) => indent + line).join('\n'));

/** Lines that nearly always are plain in any order. */
const tameDocument = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '  ', '  ', '   ', '    '),
      fc.constantFrom(
        '',
        '',
        'text',
        '- item',
        '- a',
        '1. first',
        '2. second',
        '* star',
        'more',
        '## Title',
        '```',
        '```',
        '> quote',
        '---',
        '<!-- a -->',
        '| a |',
        'x\n\n- y\n\n  z',
      ),
    ),
    { maxLength: 16 },
  )
  .map((lines) => lines.map(([indent, line]) => indent + line).join('\n'));

/**
 * Without what no reader of a scan uses: whether a text inside a container ends in a line break, whether its lines end in spaces,
 * and texts of headings that only remark can tell.
 */
function comparable({ frontmatter, blocks }: FoundBlocks): unknown {
  return {
    frontmatter,
    blocks: blocks.map((block) => {
      if (block.type === 'heading') return { ...block, text: undefined };
      if (!('inner' in block)) return block;
      const inner = block.inner.map((each) =>
        each.type === 'code' ? each : { ...each, value: each.value.replace(/ *\n/g, '\n').trimEnd() },
      );
      return { ...block, inner };
    }),
  };
}

async function expectSame(source: string): Promise<boolean> {
  const lines = lineIndex(source);
  const plain = scanFastPath(source, lines);
  if (plain === null) return false;
  const reference = scanReference(source, lines);
  expect({ source, ...(comparable(plain) as object) }).toEqual({
    source,
    ...(comparable(reference) as object),
  });
  return true;
}

describe('scanPlain finds what remark finds, or nothing', () => {
  it('in the CommonMark examples', async () => {
    let plain = 0;
    for (const { markdown } of examples) if (await expectSame(markdown.replaceAll('→', '\t'))) plain += 1;
    expect(plain).toBeGreaterThan(150);
  });

  it.skipIf(!hasCorpus)('in real documents, most of which it can read', async () => {
    const files = [...corpusFiles('protocols'), ...corpusFiles('runbooks')];
    let plain = 0;
    for (const { source } of files) if (await expectSame(source)) plain += 1;
    expect(plain).toBeGreaterThan(files.length / 2);
  });

  it('in generated documents', async () => {
    let plain = 0;
    const property = async (source: string) => {
      if (await expectSame(source)) plain += 1;
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof(plainDocument, tameDocument, oddDocument, oddProtocol), property),
      RUNS,
    );
    expect(plain).toBeGreaterThan(0);
  });
});

/** A document that is cut into pieces, compared with remark's reading of the whole. */
async function expectSamePieces(source: string): Promise<boolean> {
  const lines = lineIndex(source);
  if (scanFastPath(source, lines) !== null) return false;
  const { frontmatter, blocks } = await scan(source, lines);
  const found = { frontmatter, blocks: blocks as FoundBlocks['blocks'], definitions: [], footnotes: [] };
  const pieces = comparable(found) as object;
  const whole = comparable(scanReference(source, lines)) as object;
  expect({ source, ...pieces }).toEqual({ source, ...whole });
  return true;
}

describe('a document that is read in pieces has the blocks that remark finds in the whole', () => {
  it('in the CommonMark examples between headings', async () => {
    for (const { markdown } of casesOf(examples)) {
      const text = markdown.replaceAll('→', '\t');
      await expectSamePieces(`# T\n\n${text}\n\n## S\n\n<b>\n\n# U\n`);
      await expectSamePieces(`---\na: 1\n\n# b\n---\n${text}\n\n## S\n\n${text}`);
    }
  });

  it.skipIf(!hasCorpus)('in real documents', async () => {
    let read = 0;
    for (const { source } of [...corpusFiles('protocols'), ...corpusFiles('runbooks')])
      if (await expectSamePieces(source)) read += 1;
    expect(read).toBeGreaterThan(0);
  });

  it('in generated documents', async () => {
    const parts = fc.array(fc.oneof(plainDocument, tameDocument, oddDocument, oddProtocol), { maxLength: 4 });
    let read = 0;
    const property = async (texts: string[]) => {
      if (await expectSamePieces(texts.join('\n\n## S\n\n'))) read += 1;
    };
    await fc.assert(fc.asyncProperty(parts, property), RUNS);
    expect(read).toBeGreaterThan(0);
  });

  it('with very many blocks', async () => {
    const source = `# A\n\n\tx\n\n## B\n\n${'---\n'.repeat(150_000)}`;
    expect((await scan(source, lineIndex(source))).blocks.length).toBe(150_003);
  }, 60_000);

  it.each([
    ['a fence', '# A\n\n```\n\n# no\n\n## no\n\n```\n\n# B\n\n\t- x\n'],
    ['a fence that is never closed', '# A\n\n<b>\n\n````\n\n# no\n\n```\n\n# no\n\n# no\n'],
    ['a comment', '# A\n\n<b>\n\n<!-- \n\n# no\n\n## no\n\n-->\n\n# B\n'],
    ['HTML', '# A\n\n<pre>\n\n# no\n\n</pre>\n\n# B\n\n<div>\n\n# C\n\n</div>\n'],
    ['an item and a note', '# A\n\n- a\n\n  ```\n\n# B\n\n[^1]: x\n\n    y\n\n# C\n'],
    ['frontmatter that is never closed', '---\n\n## S\n\n- a\n\n<b>\n\n# B\n\n1. c\n'],
    ['line endings of old', '# A\r\r<b>\r\r# B\r\n\r\n# C\r'],
  ])('with %s across headings', async (_, source) => {
    expect(await expectSamePieces(source)).toBe(true);
    expect(await expectSamePieces(`\ufeff${source}`)).toBe(true);
  });
});
