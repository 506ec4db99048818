import { describe, expect, it } from 'vitest';
import { findComments } from '../../../src/lint/facts/links.ts';

async function comments(source: string): Promise<string[]> {
  return (await findComments(source)).map(({ text, place }) => {
    const written = source.slice(place.start.offset, place.end.offset);
    expect(['<!-->', '<!--->', `<!--${text}-->`]).toContain(written);
    return text;
  });
}

describe('findComments', () => {
  it.each([
    ['a block', '<!-- a -->\n', [' a ']],
    ['a block over lines', '# T\n\n<!-- a\n\nb -->\n', [' a\n\nb ']],
    ['two in one block', '<!-- a --> <!--b-->\n', [' a ', 'b']],
    ['running text', 'Text <!-- a --> and text\nmore <!-- b -->\n', [' a ', ' b ']],
    ['a heading', '## Step <!-- a -->\n', [' a ']],
    ['a list and a quote', '- item <!-- a -->\n\n> <!-- b -->\n', [' a ', ' b ']],
    [
      'a heading and a table in a quote',
      '> ## H <!-- a -->\n> | a ` |\n> |---|\n> | <!-- b --> ` |\n',
      [' a ', ' b '],
    ],
    ['items of a list, each by itself', '- a ` <!-- a -->\n- <!-- b --> `\n', [' a ', ' b ']],
    ['a footnote', 'T[^1]\n\n[^1]: Note <!-- a -->\n', [' a ']],
    ['their shortest forms', '<!--> <!---> <!---->\n', ['', '', '']],
    ['CRLF and a BOM', '\ufeff<!-- a -->\r\n\r\n<!-- b -->\r\n', [' a ', ' b ']],
  ])('finds comments in %s', async (_, source, expected) => {
    expect(await comments(source)).toEqual(expected);
  });

  it.each([
    ['a fence', '```html\n<!-- a -->\n```\n'],
    ['a fence that is never closed', '```\n<!-- a -->\n'],
    ['an indented block', 'Text\n\n    <!-- a -->\n'],
    ['a code span', 'Write `<!-- a -->` there\n'],
    ['a longer code span', 'Write ``x ` <!-- a -->`` there\n'],
    ['a fence in a list', '- ```\n  <!-- a -->\n  ```\n'],
    ['frontmatter', '---\nslug: x # <!-- a -->\n---\n# T\n'],
    ['frontmatter that looks like a fence', '---\nx: |\n  ```\n---\n# T\n\n`<!-- a -->`\n'],
    ['an escaped bracket', 'Write \\<!-- a --> there\n'],
    ['an unclosed comment in text', 'Write <!-- a there\n'],
    ['no comment at all', '# T\n'],
  ])('finds none in %s', async (_, source) => {
    expect(await comments(source)).toEqual([]);
  });
});
