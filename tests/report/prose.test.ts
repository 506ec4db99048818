import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isOnlyText } from '../../src/formats/markdown.ts';
import { valueView } from '../../src/report/page.ts';
import { drawProse } from '../../src/report/prose.ts';
import { runs } from '../support/thorough.ts';

const draw = (source: string) => String(drawProse()(source));
/** Elements and attributes that a drawing has: what a browser would obey. */
const ALLOWED =
  /^<\/?(?:div|p|pre|ul|ol|li|blockquote|strong|em|del|code|span|table|thead|tbody|tr|th|td|hr|br|a)(?: (?:class="(?:prose|text|heading|box|scroll)"|tabindex="0"|role="region"|aria-label="Table"|scope="col"|start="\d+"|href="https?:\/\/[^"<>\s]*"|rel="noopener noreferrer nofollow"))*>$/;
const foreign = (drawn: string) => (drawn.match(/<[^>]*>?/g) ?? []).filter((tag) => !ALLOWED.test(tag));

describe('the markdown of an author on a page', () => {
  test.each([
    ['# One\n### Two', '<p class="heading">One</p><p class="heading">Two</p>'],
    [
      'Read **all** of *it*, ~~not~~ `a < b`.',
      '<p>Read <strong>all</strong> of <em>it</em>, <del>not</del> <code>a &lt; b</code>.</p>',
    ],
    ['- one\n- [x] two', '<ul><li><p>one</p></li><li><span class="box">[x]</span><p>two</p></li></ul>'],
    ['3. three\n4. four', '<ol start="3"><li><p>three</p></li><li><p>four</p></li></ol>'],
    ['```sh\nrm "x" && ls\n```', '<pre tabindex="0">rm &quot;x&quot; &amp;&amp; ls</pre>'],
    ['> quoted', '<blockquote><p>quoted</p></blockquote>'],
    ['one\\\ntwo\n\n---', '<p>one<br>two</p><hr>'],
    ['Plain text.\nIn two lines.\n\n\nAnd more.', '<p>Plain text.\nIn two lines.</p><p>And more.</p>'],
  ])('draws %j', (source, drawn) => {
    expect(draw(source)).toBe(`<div class="prose">${drawn}</div>`);
  });

  test.each([
    [
      '[docs](https://kairos.example/a?b=1&c "The docs")',
      '<p>docs (<a href="https://kairos.example/a?b=1&amp;c" rel="noopener noreferrer nofollow">https://kairos.example/a?b=1&amp;c</a> &quot;The docs&quot;)</p>',
    ],
    [
      '<https://kairos.example/>',
      '<p><a href="https://kairos.example/" rel="noopener noreferrer nofollow">https://kairos.example/</a></p>',
    ],
    [
      '[x][d]\n\n[d]: http://kairos.example',
      '<p>x (<a href="http://kairos.example/" rel="noopener noreferrer nofollow">http://kairos.example</a>)</p><pre tabindex="0">[d]: http://kairos.example</pre>',
    ],
    ['[x](javascript:alert(1))', '<p>x (javascript:alert(1))</p>'],
    ['[x](&#106;avascript:alert(1))', '<p>x (javascript:alert(1))</p>'],
    ['[x](data:text/html,hi)', '<p>x (data:text/html,hi)</p>'],
    ['[x](//kairos.example)', '<p>x (//kairos.example)</p>'],
    [
      '![a cat](https://kairos.example/c.png)',
      '<p>[image: a cat] (<a href="https://kairos.example/c.png" rel="noopener noreferrer nofollow">https://kairos.example/c.png</a>)</p>',
    ],
    ['![x](javascript:alert(1))', '<p>[image: x] (javascript:alert(1))</p>'],
  ])('shows where a link leads, and follows only http and https: %j', (source, drawn) => {
    expect(draw(source)).toBe(`<div class="prose">${drawn}</div>`);
  });

  it('shows HTML, comments and hidden characters', () => {
    const drawn = draw(
      '<script>alert(1)</script>\n\n<!-- a note -->\n\nA <b onclick="x">b</b> &#x202e;c\u202e\u200b',
    );
    expect(drawn).toBe(
      '<div class="prose"><pre tabindex="0">&lt;script&gt;alert(1)&lt;/script&gt;</pre><pre tabindex="0">&lt;!-- a note --&gt;</pre><p>A <code>&lt;b onclick=&quot;x&quot;&gt;</code>b<code>&lt;/b&gt;</code> \\u{202e}c\\u{202e}\\u{200b}</p></div>',
    );
  });

  it('writes no element or attribute of an author, for any text', () => {
    const piece = fc.constantFrom(
      ...[
        '<script>',
        '</pre>',
        '</div>',
        '<img src=x onerror=alert(1)>',
        '" onload="x',
        "' ",
        '&lt;',
        '&quot;',
      ],
      ...[
        '[a](',
        'javascript:',
        'https://a"b',
        'http://x/<y>',
        ')',
        '![',
        '](',
        '<https://x">',
        '[r]',
        '\n[r]: ',
      ],
      ...[
        '`',
        '```\n',
        '# ',
        '- ',
        '1. ',
        '> ',
        '|a|b|\n|-|-|\n|',
        '\n',
        '\n\n',
        '    ',
        '**',
        '~~',
        '\\',
        '[^1]',
      ],
      ...['\n[^1]: ', '---\n', 'x', '\u202e', '\0', 'www.x.org', '<!--', '-->', '&#x3c;', '\ud800'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        expect(foreign(draw(pieces.join('')))).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('draws a text without markup as the parser would', () => {
    const piece = fc.constantFrom(
      'Do it',
      'now.',
      ' ',
      '  ',
      '\n',
      '\n\n',
      '\n\n\n',
      '-',
      '- ',
      '=',
      '12',
      '1.',
      '\t',
      'a: b',
      '(c)',
      '!',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('').replace(/^\n+|\s+$/g, '');
        fc.pre(isOnlyText(text) && text !== '');
        // The mark of a comment makes the parser read the rest.
        const parsed = draw(`${text}\n\n<!-- -->`).replace('<pre tabindex="0">&lt;!-- --&gt;</pre>', '');
        expect(draw(text)).toBe(parsed);
      }),
      { numRuns: runs(500) },
    );
  });

  it('shows a text as written that nests too deep or costs too much', () => {
    const deep = `${'>'.repeat(600)} x`;
    expect(draw(deep)).toBe(`<div class="text">${deep.replaceAll('>', '&gt;')}</div>`);
    expect(foreign(draw(`${'- '.repeat(runs(5000))}x`))).toEqual([]);
    const prose = drawProse(-1);
    expect(String(prose('**a**'))).toBe('<div class="text">**a**</div>');
    expect(String(prose('a'))).toBe('<div class="prose"><p>a</p></div>');
  });
});

test('folds a value that is longer than a screen', () => {
  expect(String(valueView('short <b>'))).toBe('short &lt;b&gt;');
  expect(String(valueView('one\ntwo'))).toBe('<pre tabindex="0">\none\ntwo</pre>');
  const long = '<b>\u202e '.repeat(1000);
  const drawn = String(valueView(long));
  expect(drawn).toMatch(
    /^<details><summary>&lt;b&gt;\\u\{202e\} .*… \(5000 characters\)<\/summary><pre tabindex="0">/,
  );
  expect(foreign(drawn).filter((tag) => !/^<\/?(?:details|summary)>$/.test(tag))).toEqual([]);
});

test('the style of a page knows the classes of prose', () => {
  const css = readFileSync(new URL('../../assets/report/report.css', import.meta.url), 'utf8');
  for (const name of ['.prose', '.prose .heading', '.prose .box']) expect(css).toContain(`${name} {`);
});
