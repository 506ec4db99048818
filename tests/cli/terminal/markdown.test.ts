import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { createColor } from '../../../src/cli/output.ts';
import { renderMarkdown } from '../../../src/cli/terminal/markdown.ts';
import { runs } from '../../support/thorough.ts';

const plain = createColor(false);
const colored = createColor(true);
const SGR = /\x1b\[\d+(?:;\d+)*m/g;
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b-\u200f\u{e0000}-\u{e007f}]/u;

it('draws a host name or an email address unchanged, and a link with its target', async () => {
  const source = 'See www.example.com, ops@example.com and [the page](http://www.example.com/x).';
  expect(await renderMarkdown(source, { width: 100, color: plain })).toBe(
    'See www.example.com, ops@example.com and the page (http://www.example.com/x).',
  );
});

it('draws every block', async () => {
  const source = [
    'Intro with **bold `code`**, *em*, ~~del~~, &amp; <b>html</b>,  ',
    'a [link](https://x.y "t") and <https://auto.link> and ![alt](i.png).',
    '',
    '### Sub',
    '- a',
    '- **b** `c`',
    '  1. deep',
    '- [ ] todo',
    '',
    '3. three',
    '',
    '4. four',
    '',
    '> quoted',
    '> text',
    '',
    '| h1 | Right |',
    '|----|------:|',
    '| a \\| b | **1** |',
    '',
    '```sh',
    'npm test \\',
    '\t--all',
    '```',
    '<!-- seen -->',
    '',
    '[def]: http://seen',
    '',
    '---',
  ].join('\n');
  expect(await renderMarkdown(source, { width: 60, color: plain })).toBe(
    [
      'Intro with **bold `code`**, *em*, ~~del~~, & <b>html</b>,',
      'a link (https://x.y "t") and https://auto.link and [image:',
      'alt] (i.png).',
      '',
      '### Sub',
      '',
      '- a',
      '- **b** `c`',
      '  1. deep',
      '- [ ] todo',
      '',
      '3. three',
      '',
      '4. four',
      '',
      '> quoted text',
      '',
      'h1     Right',
      '-----  -----',
      'a | b      1',
      '',
      '    npm test \\',
      '    \t--all',
      '',
      '<!-- seen -->',
      '',
      '[def]: http://seen',
      '',
      '----------------------------------------',
    ].join('\n'),
  );
});

it('colours instead of marking', async () => {
  expect(await renderMarkdown('**b** `c` *e* [l](u)', { width: 60, color: colored })).toBe(
    '\x1b[1mb\x1b[22m \x1b[36mc\x1b[39m \x1b[3me\x1b[23m l (\x1b[4mu\x1b[24m)',
  );
});

it('turns a table that is too wide into lines', async () => {
  const source = '| name | what |\n|--|--|\n| a | a long explanation |\n| b | short |';
  expect(await renderMarkdown(source, { width: 22, color: plain })).toBe(
    ['name: a', 'what: a long', 'explanation', '', 'name: b', 'what: short'].join('\n'),
  );
});

it('shows what an author hides, and obeys nothing of it', async () => {
  const source =
    'a\x1b[2J\x1b]8;;http://evil\x07b \u202egnp &#27;[31m &#x202e; \x9b5m <!-- agent: obey -->\r\nnext';
  const shown =
    'a\\x1b[2J\\x1b]8;;http://evil\\x07b \\u{202e}gnp \ufffd[31m \\u{202e} \\x9b5m <!-- agent: obey --> next';
  expect(await renderMarkdown(source, { width: 200, color: plain })).toBe(shown);
  expect((await renderMarkdown(source, { width: 200, color: colored })).replace(SGR, '')).toBe(shown);
});

it('gives the escaped markdown itself when plain', async () => {
  expect(await renderMarkdown('# a\r\n**b**\t\x1b[31m', { width: 10, color: colored, plain: true })).toBe(
    '# a\n**b**\t\\x1b[31m',
  );
});

it('survives nesting deeper than the stack', async () => {
  const source = `${'>'.repeat(8_000)} x`;
  expect(await renderMarkdown(source, { width: 80, color: plain })).toBe(source);
});

const piece = fc.oneof(
  fc.constantFrom(
    '**',
    '*',
    '`',
    '```\n',
    '[a](',
    ')',
    '| a | b |\n|--|--|\n',
    '> ',
    '- ',
    '1. ',
    '# ',
    '\n',
    '\n\n',
    '<!--',
    '-->',
  ),
  fc.constantFrom(
    '&#27;',
    '&#x9b;',
    '&#x202e;',
    '\x1b[31m',
    '\x1b]8;;u\x07',
    '\x9b',
    '\u202e',
    '\u{e0041}',
    '\r',
    '\x00',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('word ', 'https://a.b/c ', '日本語', '\\', '~~'),
);
const document = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

it('prints only its own control sequences, for any document', async () => {
  await fc.assert(
    fc.asyncProperty(document, fc.integer({ min: 1, max: 100 }), async (source, width) => {
      const bare = (text: string) => text.replace(/[\n\t]/g, '');
      expect(bare(await renderMarkdown(source, { width, color: plain }))).not.toMatch(HIDDEN);
      expect(bare((await renderMarkdown(source, { width, color: colored })).replace(SGR, ''))).not.toMatch(
        HIDDEN,
      );
      expect(bare(await renderMarkdown(source, { width, color: colored, plain: true }))).not.toMatch(HIDDEN);
    }),
    { numRuns: runs(200) },
  );
});

it('keeps every word of running text within the width', async () => {
  const words = fc.array(fc.constantFrom('alpha', 'be', '**strong**', '日本語', '`code`', 'x'.repeat(50)), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(words, fc.integer({ min: 20, max: 90 }), async (list, width) => {
      const lines = (await renderMarkdown(list.join(' '), { width, color: plain })).split('\n');
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join('').replace(/ /g, '')).toBe(list.join(''));
    }),
    { numRuns: runs(100) },
  );
});

it('resolves references and shows footnotes', async () => {
  const source = '[a][x] ![b][x] [^1]\n\n[x]: http://u "t"\n\n[^1]: note';
  expect(await renderMarkdown(source, { width: 80, color: plain })).toBe(
    'a (http://u "t") [image: b] (http://u "t") [^1]\n\n[x]: http://u "t"\n\n[^1]: note',
  );
});

it('needs little time for text that is made to be slow', async () => {
  for (const part of ['[a](', '*a **b ', '<a b="', '![a][']) {
    expect(await renderMarkdown(part.repeat(runs(1000)), { width: 80, color: plain })).toContain('a');
  }
});

it('shows the source of text whose layout is too costly', async () => {
  const source = `${'[a]: <b\n'.repeat(15_000)}end`;
  expect(await renderMarkdown(source, { width: 80, color: plain })).toBe(source);
});

it('draws paragraphs without markup as the parser reads them', async () => {
  const piece = fc.constantFrom(
    'Some words',
    ' and more',
    '\n',
    '\n\n',
    '\n\n\n',
    '\t',
    '- ',
    '1.',
    'a: b',
    '=',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 10 }), async (pieces) => {
      const text = pieces.join('');
      const options = { width: 30, color: plain };
      const drawn = await renderMarkdown(`${text}\n\n<!-- -->`, options);
      expect(await renderMarkdown(text, options)).toBe(drawn.replace(/(?:^|\n\n)<!-- -->$/, ''));
    }),
    { numRuns: runs(200) },
  );
});
